"""What has to hold of the playground and the component in a browser: each method of a class is a check."""

from checks.changing import ChangingChecks
from checks.dragging import DraggingChecks
from checks.embedding import EmbeddingChecks
from checks.keyboard import KeyboardChecks
from checks.loading import LoadingChecks
from checks.playground import PlaygroundChecks
from checks.scrolling import ScrollingChecks
from checks.sessions import SessionsChecks

TOPICS = (
    ScrollingChecks, DraggingChecks, KeyboardChecks, ChangingChecks,
    LoadingChecks, SessionsChecks, EmbeddingChecks, PlaygroundChecks,
)


class Checks(*TOPICS):
    pass


# In the order in which they are written.
CHECKS = [name for topic in TOPICS for name in vars(topic) if not name.startswith("_")]
