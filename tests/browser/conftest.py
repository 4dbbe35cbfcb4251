"""One browser for all of these tests: Debian's chromium, driven by Playwright (`make browser` installs both)."""

from __future__ import annotations

import os
import shutil

import pytest

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING = "no browser: `make browser` installs chromium and Playwright for these tests"


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A context of a fresh profile; every test opens pages of its own."""
    program = os.environ.get("WIDEMARGIN_CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.skip(MISSING)
    sync_api = pytest.importorskip("playwright.sync_api", reason=MISSING)
    with sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")), executable_path=program, headless=True, args=list(FLAGS)
        )
        yield context
        context.close()
