"""What was measured, as pages for a browser. No Keras."""

from kzoo.reports.evaluation import evaluation_page

__all__ = ["evaluation_page"]
