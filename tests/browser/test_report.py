"""The report in a browser: it works, it asks no other host for anything, and whatever the data hold stays text."""

import csv

import numpy as np
import pytest

from widemargin.cli import main

EVIL = "<img src=x onerror=window.hit=1><script>window.hit=1</script>"
CLASSES = (f"good{EVIL}", '=HYPERLINK("http://evil.test")\'"</script><script>window.hit=1</script>{{7*7}}')


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """`easy` on a table whose every name is hostile, and two of its models compared."""
    folder = tmp_path_factory.mktemp("report")
    data = folder / "a<b onmouseover=window.hit=1>&amp;{{7*7}}.csv"
    rng = np.random.default_rng(0)
    with open(data, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow([f"x{EVIL}", "@SUM(A1)</style><style>body{display:none}", "`${window.hit=1}`", f"kind{EVIL}"])
        for a, b, c in rng.normal(size=(160, 3)).round(3).tolist():
            out.writerow([a, b, c, CLASSES[int(a + b > 0.2 * c)]])
    found = folder / "easy"
    target = ["--target", f"kind{EVIL}", "--quiet"]
    learners = ["--time", "5", "--learners", "linear-svm,naive-bayes"]
    assert main(["easy", str(data), *target, *learners, "-o", str(found)]) == 0
    model = folder / "<b onclick=window.hit=1>other.wm"
    assert main(["train", str(data), *target, "--model", "averaged", "-o", str(model)]) == 0
    compared = folder / "compared.html"
    assert main(["report", str(found / "model.wm"), str(model), str(data), *target, "-o", str(compared)]) == 0
    return {"easy": found / "report.html", "compared": compared}


@pytest.fixture(scope="module")
def texts_report(tmp_path_factory):
    """Messages that are programs."""
    folder = tmp_path_factory.mktemp("texts")
    data = folder / "texts.csv"
    words = ("win a prize now", "see you at noon then")
    with open(data, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["kind", "message"])
        for k in range(120):
            out.writerow([("spam", "ham")[k % 2], f"{EVIL} {words[k % 2]} {words[(k // 7) % 2]} number {k}"])
    wanted = ["--target", "kind", "--learners", "linear-svm", "--time", "5", "-o", str(folder), "--quiet"]
    assert main(["easy", str(data), *wanted]) == 0
    return folder / "report.html"


@pytest.fixture
def opened(browser):
    """opened(path) → (page, what the console said, what was requested)."""
    pages = []

    def open_page(path):
        page = browser.new_page()
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        pages.append(page)
        return page, said, asked

    yield open_page
    for page in pages:
        page.close()


@pytest.mark.parametrize("kind", ["easy", "compared", "texts"])
def test_no_errors_no_requests_and_hostile_strings_are_text(opened, reports, texts_report, kind):
    path = texts_report if kind == "texts" else reports[kind]
    page, said, asked = opened(path)
    page.wait_for_timeout(100)
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
    assert page.evaluate("window.hit") is None
    assert page.locator("img, iframe, object, embed, link[rel=stylesheet], script[src]").count() == 0
    text = page.locator("main").inner_text()
    assert EVIL in text
    assert kind == "texts" or all(label in text for label in CLASSES)
    assert page.locator("main").is_visible()
    assert page.locator("script").count() == 3
    assert page.evaluate("JSON.parse(document.getElementById('wm-report').textContent).widemargin") == 1


def test_the_slider_changes_the_table(opened, reports):
    page, said, _ = opened(reports["easy"])
    slider = page.locator(".slider")

    def shown(name):
        return slider.locator(f"[data-show={name}]").inner_text()

    def move(value):
        slider.locator("input[type=range]").fill(str(value))

    rows = 40
    move(0)
    assert (shown("tn"), shown("fn"), shown("threshold")) == ("0", "0", "0.00")
    move(100)
    assert (shown("fp"), shown("threshold")) == ("0", "1.00")
    slider.locator("[data-cost=fp]").fill("1000")
    slider.locator("button").click()
    assert shown("fp") == "0"
    assert sum(int(shown(name)) for name in ("tn", "fn", "fp", "tp")) == rows
    assert shown("cost") == shown("fn")
    assert said == []


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_wider_than_the_window(opened, reports, texts_report, width):
    for path in (*reports.values(), texts_report):
        page, _, _ = opened(path)
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_is_dark_and_print_is_light(opened, reports):
    page, _, _ = opened(reports["easy"])

    def paper():
        return sum(map(int, page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)")[:3]))

    page.emulate_media(color_scheme="dark")
    assert paper() < 150
    page.emulate_media(color_scheme="dark", media="print")
    assert paper() == 3 * 255
