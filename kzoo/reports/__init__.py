"""What was measured, as pages for a browser. No Keras."""

from kzoo.reports.evaluation import evaluation_page
from kzoo.reports.masked import masked_page
from kzoo.reports.summaries import summaries_page
from kzoo.reports.tagging import tagging_page

# The page of what `kzoo.evaluate` gives, by task.
PAGES = {
    "image_text_classifier": evaluation_page,
    "masked_lm": masked_page,
    "span_corruption": masked_page,
    "summarizer": summaries_page,
    "text_classifier": evaluation_page,
    "token_tagger": tagging_page,
}

__all__ = [
    "PAGES",
    "evaluation_page",
    "masked_page",
    "summaries_page",
    "tagging_page",
]
