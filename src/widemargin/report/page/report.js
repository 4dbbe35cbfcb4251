"use strict";
(() => {
  const box = document.getElementById("threshold");
  if (!box) return;
  const t = JSON.parse(document.getElementById("wm-report").textContent).pages.thresholds;
  const costs = ["fp", "fn"].map((name) => document.getElementById("cost-" + name));
  const cell = (name) => document.getElementById("at-" + name);
  const show = () => {
    const k = Number(box.value);
    const tp = t.tp[k], fp = t.fp[k], fn = t.positive - tp, tn = t.negative - fp;
    const [a, b] = costs.map((input) => Number(input.value) || 0);
    const all = tp + fp + fn + tn;
    for (const [name, value] of Object.entries({ tp, fp, fn, tn })) cell(name).textContent = value;
    cell("threshold").textContent = t.at[k].toFixed(2);
    cell("right").textContent = (100 * (tp + tn) / all).toFixed(2) + " %";
    cell("cost").textContent = (a * fp + b * fn).toLocaleString("en", { maximumFractionDigits: 2 });
  };
  const cheapest = () => {
    const [a, b] = costs.map((input) => Number(input.value) || 0);
    let best = 0, least = Infinity;
    t.at.forEach((_, k) => { const c = a * t.fp[k] + b * (t.positive - t.tp[k]); if (c < least) { least = c; best = k; } });
    box.value = best;
    show();
  };
  box.addEventListener("input", show);
  for (const input of costs) input.addEventListener("input", show);
  document.getElementById("cheapest").addEventListener("click", cheapest);
  show();
})();
