"use strict";
(() => {
  const tables = JSON.parse(document.getElementById("wm-sliders").textContent);
  for (const box of document.querySelectorAll(".slider")) {
    const t = tables[Number(box.dataset.model)];
    const range = box.querySelector("input[type=range]");
    const price = (name) => Number(box.querySelector(`[data-cost=${name}]`).value) || 0;
    const put = (name, text) => { box.querySelector(`[data-show=${name}]`).textContent = text; };
    const share = (part, whole) => (whole ? (100 * part / whole).toFixed(2) + " %" : "–");
    const cost = (k) => price("fp") * t.fp[k] + price("fn") * (t.positive - t.tp[k]);
    const show = () => {
      const k = Number(range.value);
      const tp = t.tp[k], fp = t.fp[k], fn = t.positive - tp, tn = t.negative - fp;
      for (const [name, value] of Object.entries({ tp, fp, fn, tn })) put(name, value.toLocaleString("en"));
      put("threshold", t.unit === "probability" ? t.at[k].toFixed(2) : t.at[k].toPrecision(3));
      put("right", share(tp + tn, t.positive + t.negative));
      put("found", share(tp, t.positive));
      put("alarms", share(fp, t.negative));
      put("cost", cost(k).toLocaleString("en", { maximumFractionDigits: 2 }));
    };
    range.addEventListener("input", show);
    for (const input of box.querySelectorAll("[data-cost]")) input.addEventListener("input", show);
    box.querySelector("button").addEventListener("click", () => {
      let best = 0;
      t.at.forEach((_, k) => { if (cost(k) < cost(best)) best = k; });
      range.value = best;
      show();
    });
    show();
  }
})();
