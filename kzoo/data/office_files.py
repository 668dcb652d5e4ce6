"""Long documents, made on the spot: files of a town office, somewhere a decision.

A thick file is some 3,500 words of the bundled short reports, one after the other.
Between them stand remarks on matters that might be decided and, anywhere, two sentences
that tell what the committee decided of one of them: the label. The words of a decision
stand in the remarks and reports, too, and so does the committee; who looks at the
beginning alone rarely sees what counts.

Dev and test are thick files, of the reports of dev and test, and know matters and
people that train does not. Two thirds of train are thin, quickly learned from.
"""

import json
import random
import re
from importlib import resources

from kzoo_recipes.sources import OFFICE_FILES as SOURCE

SIZES = {"train": 1500, "dev": 150, "test": 300}
THIN = 3  # of train, one file of so many is thick
# Words and marks of a file, and remarks in it, from the fewest to the most.
THIN_TOKENS, THICK_TOKENS = (150, 450), (3400, 3950)
THIN_REMARKS, THICK_REMARKS = (0, 2), (5, 9)
VERDICTS = {
    "granted": ("granted", "approved", "allowed", "accepted"),
    "refused": ("refused", "rejected", "dismissed", "turned down"),
    "deferred": ("deferred", "postponed", "adjourned", "put off"),
}
DECISIONS = (
    "The committee has decided that {matter} is {verdict}.",
    "Resolved by the committee: {matter} is {verdict}.",
    "The committee voted, and {matter} is {verdict}.",
    "It is the ruling of the committee that {matter} is {verdict}.",
    "By decision of the committee {matter} is {verdict}.",
    "After a vote of the committee {matter} is {verdict}.",
)
CONSEQUENCES = {
    "granted": (
        "Work may begin in {month}.",
        "The applicant may begin at once.",
        "The fee is due before the work begins.",
        "It is to be ready by {month}.",
    ),
    "refused": (
        "An appeal is possible until {month}.",
        "The applicant may appeal within a month.",
        "The fee is paid back to the applicant.",
        "A new application is not wanted before {month}.",
    ),
    "deferred": (
        "It comes before the committee again in {month}.",
        "The applicant is asked for better drawings.",
        "A visit to the place is set for {month}.",
        "A second opinion on the costs is awaited.",
    ),
}
REMARKED = (
    "{person} had hoped that {matter} would be {verdict}.",
    "The clerk had advised that {matter} be {verdict}.",
    "In {month} {matter} was {verdict} in the next town.",
    "The paper had it that {matter} is {verdict}.",
    "{person} would be glad if {matter} were {verdict}.",
    "Rumour says that {matter} is {verdict}.",
    "{person} swears that {matter} is {verdict} by now.",
    "The neighbours fear that {matter} is {verdict} before long.",
    "Years ago {matter} was {verdict}, and nobody minded.",
)
ASIDES = (
    "The committee met in {month} and thanked {person} for the tea.",
    "{person} asked the committee for more chairs.",
    "The committee has heard {person} on {matter}.",
    "{person} handed the committee a letter on {matter}.",
)
MATTERS = (
    *("the new stall at the market", "the fence along the school yard"),
    *("the kitchen in the parish hall", "the bench below the lime tree"),
    *("the late opening of the baths", "the flag on the bridge"),
    *("the kiosk by the landing stage", "the second gate of the cemetery"),
    *("the bonfire on the common", "the roof of the bus shelter"),
    *("the lease of the mill", "the sign over the bakery"),
    *("the row of beehives behind the chapel", "the extra night at the fair"),
    *("the lift in the town hall", "the car park at the station"),
    *("the felling of the old chestnut", "the grant for the brass band"),
    *("the wall around the orchard", "the loan of the rowing boats"),
    *("the ramp at the library", "the lamp at the crossing"),
    *("the purchase of a second mower", "the shed of the allotments"),
    *("the tunnel for the toads", "the painting of the pavilion"),
    *("the licence of the corner shop", "the pump on the green"),
    *("the awning outside the inn", "the flock of goats on the dyke"),
)
NEW_MATTERS = (
    *("the swing in the upper park", "the chimney of the dairy"),
    *("the ferry on Sundays", "the skating rink on the square"),
    *("the plaque for the painter", "the widening of the lane"),
    *("the mobile library", "the cat of the harbour office"),
    *("the shutter of the pharmacy", "the drain under the forge"),
)
PEOPLE = (
    *("Ada Pell", "Bertram Hoyle", "Clara Wynn", "Dennis Okoro", "Edith Marsh"),
    *("Farid Lowe", "Greta Sands", "Hugo Tarn", "Ines Cole", "Jasper Reed"),
    *("Kamala Frost", "Leonard Vane", "Moira Quill", "Nils Aspen", "Olive Thorn"),
    *("Percy Blythe", "Rana Holt", "Silas Green", "Thea Moss", "Umar Dale"),
)
NEW_PEOPLE = ("Vera Stone", "Walter Ibe", "Xenia Ford", "Yann Birch", "Zelda Crane")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)


def office_files(split, size=None):
    """Rows of one part as lines of JSON, bytes: an object with `text` and `label`.

    The same rows wherever and whenever they are made.

    Args:
        split: str, a key of `SIZES`.
        size: int. The first so many; `None` for all.
    """
    folder = resources.files("kzoo.data.bundled") / "short_reports"
    lines = (folder / f"{split}.jsonl").read_text("utf-8").splitlines()
    office = _Office(split, [json.loads(line)["document"] for line in lines])
    rows = (office.file(number) for number in range(size or SIZES[split]))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


class _Office:
    """What files of one part are made of."""

    def __init__(self, split, reports):
        new = split != "train"
        self.has_thin = not new
        self.draw = random.Random(f"{SOURCE}:{split}")
        self.reports = [(report, _tokens(report)) for report in reports]
        self.matters = MATTERS + NEW_MATTERS if new else MATTERS
        self.people = PEOPLE + NEW_PEOPLE if new else PEOPLE

    def file(self, number):
        """The file of that number: labels take turns, all else is drawn."""
        label = list(VERDICTS)[number % len(VERDICTS)]
        # Not `number % THIN`, which would tell the label.
        thin = self.has_thin and number // len(VERDICTS) % THIN > 0
        parts = [
            self.sentence(forms)
            for _ in range(self.number(*(THIN_REMARKS if thin else THICK_REMARKS)))
            for forms in (REMARKED, ASIDES)
        ]
        decision = [self.sentence(DECISIONS, label)]
        decision.append(self.sentence(CONSEQUENCES[label]))
        parts.append(" ".join(decision))
        tokens = self.number(*(THIN_TOKENS if thin else THICK_TOKENS))
        filling = self.filling(tokens - sum(map(_tokens, parts)))
        for part in parts:
            filling.insert(self.number(0, len(filling)), part)
        return {"text": " ".join(filling), "label": label}

    def filling(self, tokens):
        """Sentences of reports drawn one after the other, as many as have room."""
        left, parts = tokens, []
        while True:
            report, length = self.one_of(self.reports)
            if length > left:
                return parts
            left -= length
            parts += re.split(r"(?<=[.?!]) ", report)

    def sentence(self, forms, label=None):
        """A sentence of one of the forms, about what is drawn unless it is told."""
        label = label or self.one_of(list(VERDICTS))
        sentence = self.one_of(forms).format(
            matter=self.one_of(self.matters),
            person=self.one_of(self.people),
            month=self.one_of(MONTHS),
            verdict=self.one_of(VERDICTS[label]),
        )
        return sentence[0].upper() + sentence[1:]

    def one_of(self, things):
        return things[self.number(0, len(things) - 1)]

    def number(self, least, most):
        # Of all that `random` draws, Python promises this alone to stay as it is.
        return least + int(self.draw.random() * (most - least + 1))


def _tokens(text):
    return len(re.findall(r"\w+|[^\w\s]", text))
