"""A report as one file that needs nothing else: no network, no other file."""

from .page import html_report, markdown_report

__all__ = ["html_report", "markdown_report"]
