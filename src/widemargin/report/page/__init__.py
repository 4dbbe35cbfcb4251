"""A report as one file that needs nothing else: no network, no other file."""

from .markdown import markdown_report
from .page import html_report, written_report

__all__ = ["html_report", "markdown_report", "written_report"]
