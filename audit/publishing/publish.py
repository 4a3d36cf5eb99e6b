"""Publish every snapshot that is not published yet, each from the series so far and its keys.

A draft is checked before it is written, and a release after it was written and read back.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.io.attributes import QuasiIdentifier
from audit.io.background_knowledge import TransitionLines, read_lines, read_transitions
from audit.io.manifest import NAME, PRIVATE, TRANSITIONS, Manifest, ReleaseFiles
from audit.io.microdata import NAME as MICRODATA
from audit.io.microdata import Microdata, ReadSnapshot
from audit.io.release_reading import read_release
from audit.io.releases import IdentifierEncoder, KeyedRelease, Vocabulary
from audit.io.rules.cell_meaning import Hierarchies
from audit.io.series import Series
from audit.io.tables import Coded
from audit.io.texts import arrow, column_of
from audit.judgement.shared_values import columns_that_share
from audit.model.anonymizer import (
    COUNTERFEIT,
    Anonymizer,
    Bounds,
    Draft,
    Form,
    PublicationHistory,
    PublishedRelease,
    RefusalError,
)
from audit.model.arrays import NOBODY, Codes, numbered
from audit.model.errors import InputError, Problem, Problems, UsageError
from audit.model.evidence import Transitions, UpdateSets, ValueCounts
from audit.principles.principle import Check, Principle
from audit.publishing.renderer import Counterfeits, GroupCells, LastReleaseCells, RecordIds, Rendered, uncovered
from audit.publishing.series_folder import (
    SeriesForm,
    SeriesTransaction,
    beside_unlinkable,
    extended,
    read_back,
    spelled_out,
)
from audit.runtime.phrases import printable, printable_path, say

_LINES_SHOWN = 5
_SECRET_BITS = 128


@dataclass(frozen=True)
class PublishOptions:
    """How to publish.

    Attributes:
        form: generalized cells or Anatomy pairs; None continues the series' form, or uses the method's first one.
        seed: the seed of all random numbers, whenever a release is published. None draws a secret seed: a reader who
            guesses the seed can reverse the drawing of ids, and so learn the order of the snapshot's rows.
        on_release: called with each release as soon as it is published.
        on_progress: called with the number of releases published and the number to publish.
        accepts: called with the manifest of the series and a release that keeps the promise, before it is put in place;
            if it answers False, this release and those after it are not published.
    """

    form: Form | None = None
    seed: int | None = None
    on_release: Callable[[PublishResult], None] = lambda _: None
    on_progress: Callable[[int, int], None] = lambda _done, _total: None
    accepts: Callable[[Manifest], bool] = lambda _: True


@dataclass(frozen=True)
class PublishResult:
    """A published release: its size, its number of counterfeits, and the number of people withheld."""

    tag: str
    rows: int
    groups: int
    counterfeits: int
    withheld: int
    seconds: float


def publish(
    microdata: Microdata, folder: Path, anonymizer: Anonymizer, principle: Principle, options: PublishOptions
) -> tuple[PublishResult, ...]:
    """Publish the snapshots that are not published yet, in order, into a new or an existing series.

    Each release is written, read back and checked by `principle`, which shares no code with the anonymizer. Then it
    appears whole, or not at all.

    Raises:
        UsageError: another process is publishing, or the series cannot be continued this way.
        InputError: the microdata, the series or its keys are faulty; or the promise cannot be kept.
    """
    with SeriesTransaction(folder) as workplace:
        work = _Work(workplace, microdata, anonymizer, principle, options)
        return tuple(work.run())


class _Work:
    """One run of `publish`."""

    def __init__(
        self,
        workplace: SeriesTransaction,
        microdata: Microdata,
        anonymizer: Anonymizer,
        principle: Principle,
        options: PublishOptions,
    ) -> None:
        self.workplace = workplace
        self.form = SeriesForm.of(workplace.folder, microdata, anonymizer, options.form)
        self.series: Series = self.form.series
        self.microdata = replace(microdata, quasi_identifiers=self.form.quasi_identifiers)
        # Before the snapshots, so that values get the same codes however many releases exist.
        self.transitions = agree(self.series, microdata, anonymizer, begun=self.form.begun)
        self.anonymizer = anonymizer
        self.principle = principle
        self.options = options
        self.seed = secrets.randbits(_SECRET_BITS) if options.seed is None else options.seed
        self.so_far = PublicationHistory()
        self.records = RecordIds() if self.form.columns.record is not None else None
        self.counterfeits = Counterfeits(self.series.people, self.form.attributes)
        self.cells: GroupCells | None = None
        self.before: ReadSnapshot | None = None

    def run(self) -> Iterator[PublishResult]:
        """Read the series so far, then publish one snapshot after the other."""
        done, total = len(self.form.manifest.releases), len(self.microdata.snapshots)
        if done == total:
            return
        self._look_ahead()
        check = self._look_back()
        for position in range(done, total):
            self.options.on_progress(position - done, total - done)
            published = self._publish(position, check)
            if published is None:
                return
            self.options.on_release(published)
            yield published

    def _look_ahead(self) -> None:
        """Refuse what the snapshots show by themselves, before the first of their releases is written.

        Raises:
            InputError: a snapshot is faulty, or a value changes in a way that the method cannot publish.
        """
        kinds = {name: attribute.kind for name, attribute in self.series.attributes.items()}
        every = self.microdata.read_all(people := IdentifierEncoder(), kinds)
        self.microdata.check_spelling(every, people)
        constant = getattr(self.anonymizer, "constant_values", False)
        if not (constant or self.anonymizer.follows_updates):
            return
        for read, rows in zip(every, self.microdata.impossible(every, constant=constant), strict=True):
            if len(rows):
                what = say(
                    "impossible change: {count} people have a value that cannot follow their last one", count=len(rows)
                )
                remedy = say(
                    "add the change to {file}, also to the series' own, or correct the values; such a file is "
                    "published, and a change that fewer than 3 people made shows what they did",
                    file=self.microdata.transitions or "transitions.csv",
                )
                if constant:
                    what = say(
                        "changed value: {count} people have another sensitive value than in an earlier snapshot",
                        count=len(rows),
                    )
                    remedy = say(
                        "m-invariance is for values that never change and m-distinct for those that do; else correct "
                        "them"
                    )
                raise self._refused(RefusalError(what, remedy, rows=rows, column="sensitive"), read)

    # -- looking back -----------------------------------------------------------------------------------------

    def _look_back(self) -> Check:
        """Read the published releases with their keys, and check that they keep the promise."""
        check = self.principle.start(self.series)
        last = len(self.form.manifest.releases) - 1
        for position in range(last + 1):
            # The snapshot first, as when the release was made, so that people and values get the same codes.
            read = self._snapshot(position)
            release = self._read(self.series, position)
            breaches = check.add(release)
            if breaches:
                raise UsageError.say(
                    "{folder}: the series so far does not keep {promise}: {breach}; begin a new series, or choose "
                    "a promise it keeps",
                    folder=self.workplace.folder,
                    promise=self.anonymizer.promise,
                    breach=breaches[0],
                )
            self._remember(release, read, position)
        return check

    def _read(self, series: Series, position: int) -> KeyedRelease:
        names = self.form.quasi_identifiers
        return read_release(series, position, names, records=self.records is not None)

    def _snapshot(self, position: int) -> ReadSnapshot:
        kinds = {name: attribute.kind for name, attribute in self.series.attributes.items()}
        vocabulary = self.series.vocabularies[self.form.columns.sensitive[0]]
        return self.microdata.read(position, self.series.people, vocabulary, kinds, self.transitions)

    def _remember(self, release: KeyedRelease, read: ReadSnapshot, position: int) -> None:
        """Add a release to the history from which the next one is made.

        Raises:
            InputError: the key and the snapshot contradict each other.
        """
        past = self._past(release, read, position)
        self.so_far.add(past)
        if release.person is not None and self.records is not None and release.records is not None:
            self.records.learn(release.person, release.records)
        self.counterfeits.learn(release)
        dense = replace(release, group=Coded(past.group, int(past.group.max(initial=-1)) + 1, ()))
        self.cells = GroupCells.of(dense, self.form.attributes)
        self.before = read

    def _past(self, release: KeyedRelease, read: ReadSnapshot, position: int) -> PublishedRelease:
        """Return a release as anonymizers read it, with its groups numbered without gaps."""
        files = self.form.manifest.releases[position]
        if release.person is None:
            raise UsageError.say("{file}: the release has no key", file=files.shown)
        if release.strangers is not None:
            raise UsageError.say(
                "{file}: its key has no line for some rows; write a line for each row", file=files.shown
            )
        dense = (np.cumsum(np.bincount(release.group.codes, minlength=release.group.size) > 0) - 1).astype(np.int32)
        snapshot, person = read.snapshot, release.person
        fake = (person == NOBODY) | self.series.people.counterfeits(person)
        true = np.full(max(self.series.people.size, 1), -1, dtype=np.int32)
        true[snapshot.person] = snapshot.value
        own = np.where(fake, -1, true[person])
        value, count = release.entry_value[self.form.columns.sensitive[0]], release.entry_count
        if release.values_by_row:
            wrong = np.flatnonzero(~fake & (own >= 0) & (own != value))
            what = "this row's value is not the value that the snapshot has for the person"
            own = np.where(fake, -1, value)
        else:
            count = np.ones(len(value), dtype=np.int64) if count is None else count
            wrong = np.flatnonzero(~fake & (own < 0))
            what = "the key names a person for this row who is not in the snapshot"
        if len(wrong):
            line = self.series.line(position, int(wrong[0]))
            raise InputError([Problem(files.shown, what, "correct the key or the snapshot", line)])
        return PublishedRelease(
            tag=release.tag,
            person=person,
            group=dense[release.group.codes],
            entry_group=dense[release.entry_group],
            entry_value=value,
            entry_count=count,
            own=own.astype(np.int32),
        )

    # -- publishing -------------------------------------------------------------------------------------------

    def _publish(self, position: int, check: Check) -> PublishResult | None:
        start = time.perf_counter()
        read = self._snapshot(position)
        if self.cells is not None and self.before is not None:
            self.so_far.look = LastReleaseCells(self.cells, self.before, read)
        # The renderer has its own random numbers, so that they do not depend on how many the method draws.
        seeds = np.random.SeedSequence(self.seed, spawn_key=(position,)).spawn(2)
        forming, writing = (np.random.default_rng(seed) for seed in seeds)
        try:
            draft = self.anonymizer.publish(read.snapshot, self.so_far, forming)
            check_draft(draft, read, self.counterfeits.codes)
            rendered = self.form.renderer.render(draft, read, self.cells, self.records, self.counterfeits, writing)
        except RefusalError as refusal:
            raise self._refused(refusal, read) from refusal
        release = self._written(rendered, read, check)
        if release is None:
            return None
        self._remember(release, read, position)
        return PublishResult(
            tag=read.snapshot.tag,
            rows=release.rows,
            groups=int(draft.group.max()) + 1,
            counterfeits=rendered.fake,
            withheld=len(read.snapshot) - (release.rows - rendered.fake),
            seconds=time.perf_counter() - start,
        )

    def _written(self, rendered: Rendered, read: ReadSnapshot, check: Check) -> KeyedRelease | None:
        """Stage a release, check what was written, and put it in place; return None if it is not accepted."""
        files, counterfeits = self.form.files(read.snapshot.tag), None
        tables = {files.shown: rendered.rows}
        if rendered.values is not None:
            tables[files.values_shown] = rendered.values
        if rendered.counterfeits is not None:
            counterfeits = f"counterfeits/{files.tag}.csv"
            tables[counterfeits] = rendered.counterfeits
        key = f"{PRIVATE}/{files.tag}.key.csv"
        tables = {key: self._key(rendered, read), **tables}
        lines = None if self.form.begun else self.microdata.updates
        if lines is not None:
            tables[TRANSITIONS] = lines.table()
        if not self.form.begun:
            for name, shown in self.form.manifest.columns.rules[Hierarchies].names.items():
                tables[shown] = self.series.hierarchies[name].table()
        self.workplace.stage(tables)
        if lines is not None:
            check_written_transitions(self.workplace.staging, lines)
        staged = self.form.staged(self.workplace.staging, files, counterfeits)
        release = self._read(self.series.staged(staged), 0)
        check_written(release, self.form.attributes, self.form.columns.sensitive[0], read, rendered.person)
        if not release.values_by_row:
            check_kept(release, self.counterfeits)
        breaches = check.add(release)
        if breaches:
            raise BrokenPromiseError(f"release {files.tag} would break {self.anonymizer.promise}: {breaches[0]}")
        if not self.options.accepts(self._joined(staged)):
            return None
        self._commit(files, counterfeits, tables)
        return release

    def _key(self, rendered: Rendered, read: ReadSnapshot) -> pa.Table:
        """Return the key of a release, with the columns that show which people have a value in common, for audits."""
        person, microdata = rendered.person, self.microdata
        rows: npt.NDArray[np.int64] = np.arange(len(person))
        columns: dict[str, object] = {"row": arrow(rows), "individual": self.series.people.names(person)}
        if rendered.own_value is not None:
            columns.setdefault(microdata.sensitive, rendered.own_value)
        file = next(each for each in microdata.snapshots if each.tag == read.snapshot.tag)
        values = {microdata.sensitive: microdata.harmless, **dict.fromkeys(microdata.unlinkable.columns, ())}
        shared = dict.fromkeys(chain(*chain(*columns_that_share(file, microdata.individual, values).values())))
        at = np.full(self.series.people.size + 1, len(read.snapshot))  # one more for rows of no person
        at[read.snapshot.person] = np.arange(len(read.snapshot))
        if shared and (table := file.read([*shared], Problems())) is not None:
            for name in shared:
                texts = [*table.texts(name), ""]  # the last is that of counterfeits
                columns.setdefault(name, column_of([texts[row] for row in at[person].tolist()]))
        return pa.table(columns)

    def _joined(self, staged: Manifest) -> Manifest:
        """Return the manifest of the series with a staged release as its last one."""
        so_far = self.form.manifest
        if self.form.begun:  # with all of its sensitive columns
            so_far = read_back(so_far, self.form.text)
        files = tuple(replace(each, key=staged.key_path(each)) for each in staged.releases)
        counterfeits = {tag: str((staged.folder / file).absolute()) for tag, file in staged.counterfeits.items()}
        return replace(
            so_far, releases=(*so_far.releases, *files), counterfeits={**so_far.counterfeits, **counterfeits}
        )

    def _commit(self, files: ReleaseFiles, counterfeits: str | None, tables: Mapping[str, pa.Table]) -> None:
        named = spelled_out(self.form.text, self.form.manifest)
        if named is not None and self.form.begun:
            self.workplace.replace_manifest(named)
        text = extended(named or self.form.text, files, counterfeits)
        manifest = read_back(self.form.manifest, text)
        if [release.shown for release in manifest.releases][-1] != files.shown:
            raise BrokenPromiseError(f"{NAME} would not end with release {files.tag}")
        self.workplace.commit(files.tag, tables, text)
        self.form.grown(text, beside_unlinkable(manifest, self.microdata))

    def _refused(self, refusal: RefusalError, read: ReadSnapshot) -> InputError:
        """Return a refusal with the lines of its rows in the snapshot's file."""
        names = {"sensitive": self.microdata.sensitive, "individual": self.microdata.individual}
        column = None if refusal.column is None else names.get(refusal.column, refusal.column)
        lines = [read.table.line(int(row)) for row in np.sort(refusal.rows)[:_LINES_SHOWN]]
        what = say("release {release} is not published: {why}", release=read.snapshot.tag, why=refusal.what)
        if len(refusal.rows) > 1:
            shown = ", ".join(map(str, lines))
            if more := len(refusal.rows) - len(lines):
                shown = say("{items} and {more} more", items=shown, more=more)
            what = say("{what} (lines {lines})", what=what, lines=shown)
        return InputError([Problem(read.table.shown, what, refusal.remedy, lines[0] if lines else None, column)])


# -- checks before and after a release is written --------------------------------------------------------------------

_NO_CODES: Codes = np.zeros(0, dtype=np.int32)


class BrokenPromiseError(AssertionError):
    """A release that was about to be published is wrong, which is a bug of the program."""


def check_draft(draft: Draft, read: ReadSnapshot, counterfeits: Codes) -> None:
    """Check that a draft holds each person at most once, with the true value, and no empty group.

    `counterfeits` are the codes of the last release's counterfeits with an identity.

    Raises:
        BrokenPromiseError: the draft is not sound.
    """
    rows = draft.row[draft.row != COUNTERFEIT]
    groups = np.bincount(draft.group)
    once = len(rows) > 0 and int(np.bincount(rows).max()) == 1
    true = np.array_equal(draft.value[draft.row != COUNTERFEIT], read.snapshot.value[rows])
    cells = draft.cells.low if isinstance(draft.cells, Bounds) else draft.cells.after
    identity = _NO_CODES if draft.identity is None else draft.identity[draft.row == COUNTERFEIT]
    kept = np.sort(identity[identity != COUNTERFEIT])
    once = once and bool(np.isin(kept, counterfeits).all()) and bool((kept[1:] != kept[:-1]).all())
    if not (once and true and groups.all() and len(cells) == len(groups)):
        raise BrokenPromiseError("the draft of the release is not sound")


def check_written(
    release: KeyedRelease,
    attributes: Sequence[QuasiIdentifier],
    sensitive: str,
    read: ReadSnapshot,
    person: Codes,
) -> None:
    """Check a release, as it was written and read back, against its snapshot and the people of its rows.

    `person` holds the person that each row must have, -1 for counterfeits without identity; shape (rows,).

    Raises:
        BrokenPromiseError: a person, a cell or a value is wrong, or counterfeits are not counted.
    """
    if release.person is None or not np.array_equal(release.person, person):
        raise BrokenPromiseError("the key does not read back as it was written")
    row = numbered(read.snapshot.person, int(max(person.max(initial=0), read.snapshot.person.max())) + 1)
    real = np.flatnonzero((person != NOBODY) & (row[person] >= 0))
    own = row[person[real]]
    cells = [release.cells[attribute.name][real] for attribute in attributes]
    if len(uncovered(cells, attributes, read, own)):
        raise BrokenPromiseError("a published cell does not cover the true value")
    values = len(read.snapshot.values)
    entries = ValueCounts(release.entry_group, release.entry_value[sensitive], release.entry_count)
    published = entries.tabled(release.group.size, values)
    true = ValueCounts(release.group.codes[real], read.snapshot.value[own], None).tabled(release.group.size, values)
    fake = published.astype(np.int64) - true
    if (fake < 0).any():
        raise BrokenPromiseError("a person's true value is missing in the group")
    if release.values_by_row and not np.array_equal(entries.value[real], read.snapshot.value[own]):
        raise BrokenPromiseError("a published value is not the true one")
    if not np.array_equal(fake.sum(axis=1), release.group_counterfeits):
        raise BrokenPromiseError("the counterfeits are not all counted")


def check_kept(release: KeyedRelease, counterfeits: Counterfeits) -> None:
    """Check that the older counterfeits of an Anatomy pair have the quasi-identifiers of the release before.

    Raises:
        BrokenPromiseError: a counterfeit has others.
    """
    if release.person is None:
        raise BrokenPromiseError("the release was read without its key")
    rows = np.flatnonzero(np.isin(release.person, counterfeits.codes))
    before = counterfeits.cells_of(release.person[rows])
    for column, codes in enumerate(release.cells.values()):
        if not np.array_equal(codes[rows], before[:, column]):
            raise BrokenPromiseError("an older counterfeit has other quasi-identifiers than before")


_PAIRS_SHOWN = 3
_VALUE_SHOWN = 24


def agree(series: Series, microdata: Microdata, anonymizer: Anonymizer, *, begun: bool) -> Transitions | None:
    """Return the microdata's transitions in the codes of the series; a new series gets the same transitions.

    `begun` says whether the series is on disk already.

    Raises:
        UsageError: the series has other transitions, or lacks those that the method needs.
        InputError: the method cannot use the sets, or the file of the series is faulty.
    """
    if begun and series.manifest.any_transitions and anonymizer.follows_updates:
        raise UsageError.say(
            '{file}: transitions = "any" lets any value follow any, so that this method cannot publish; name the '
            "microdata's file of transitions",
            file=printable_path(series.manifest.folder / NAME),
        )
    vocabulary, lines = series.vocabularies[microdata.sensitive], microdata.updates
    own = None if lines is None else lines.numbered(vocabulary)
    sets = None if own is None else microdata.followed(own)
    if begun and anonymizer.follows_updates:
        _check_both(series, microdata, anonymizer)
    if lines is not None and own is not None and sets is not None:
        if begun and series.manifest.transitions is not None:
            _check_same(series, microdata.folder / lines.shown, own, vocabulary)
        if anonymizer.follows_updates:
            _check_closed(lines.shown, own, sets, anonymizer, vocabulary.names)
    if not begun or microdata.closes:  # a new file is written with the first release, which is checked first
        series.updates[microdata.sensitive] = sets
    return own


def check_written_transitions(folder: Path, lines: TransitionLines) -> None:
    """Check that the written file of a new series holds the transitions of the microdata.

    Raises:
        BrokenPromiseError: it does not.
    """
    read = read_lines(folder, TRANSITIONS, Problems())
    if read is None or read.probability != lines.probability:
        raise BrokenPromiseError("the transitions do not read back as they were written")


def _check_both(series: Series, microdata: Microdata, anonymizer: Anonymizer) -> None:
    """Refuse a series and microdata of which only one has transitions.

    Raises:
        UsageError: only one has them.
    """
    ends = [
        (series.manifest.folder / NAME, "adversary", series.manifest.transitions),
        (microdata.folder / MICRODATA, "updates", microdata.transitions),
    ]
    (file, table, lacking), (other, _, there) = sorted(ends, key=lambda end: end[-1] is not None)
    if lacking is None and there is not None:
        raise UsageError.say(
            "{file}: there are no transitions, and {method} needs them; copy {transitions} into this folder without "
            "columns such as counts, which would be published, and name it under [{table}], or begin a new series",
            file=printable_path(file),
            method=anonymizer.name,
            transitions=printable_path(other.parent / there),
            table=table,
        )


def _check_same(series: Series, file: Path, own: Transitions, vocabulary: Vocabulary) -> None:
    """Refuse a series whose transitions are not those of the microdata, which stand in `file`.

    Raises:
        UsageError: they list other values, or allow other changes or the same with other probabilities.
        InputError: those of the series cannot be read.
    """
    of_series = read_transitions(series, series.manifest.columns.sensitive[0], vocabulary)
    if own.exact == of_series.exact and np.array_equal(np.flatnonzero(own.listed), np.flatnonzero(of_series.listed)):
        return
    raise UsageError.say(
        "{published}: the series has other transitions than {private}; give both files the same lines of from, to "
        "and probability, but no counts, which would be published, or begin a new series",
        published=printable_path(series.manifest.folder / str(series.manifest.transitions)),
        private=printable_path(file),
    )


def _check_closed(shown: str, own: Transitions, sets: UpdateSets, anonymizer: Anonymizer, names: Sequence[str]) -> None:
    """Refuse a candidate update set without its own value, or without all updates of its members.

    Refuse completed sets of a value that nothing may follow, too: a counterfeit could have it.

    Source: m-Distinct paper, note to Definition 12, for the updates of members; that a set has its own value is ours.

    Raises:
        InputError: a set lacks a value.
    """
    missing, whole = sets.missing(), sets.closed()
    if not len(missing):
        if len(unlisted := np.flatnonzero(~own.listed)):
            what = say("no line begins with {value}, which others may become", value=_value(names[int(unlisted[0])]))
            raise InputError([Problem(shown, what, say("say what may follow it, itself included if it may stay"))])
        return
    pairs = []
    for first, last in missing[:_PAIRS_SHOWN].tolist():
        way = whole.between(first, last) if first != last else None
        pairs.append(_pair((first, last), names) + ("" if way is None else f" by way of {_value(names[way])}"))
    more = f" and {len(missing) - len(pairs):,} more" if len(missing) > len(pairs) else ""
    what = f"{anonymizer.name} needs a line for each value itself and for every later value that it may become, also"
    what += f" through others; missing: {', '.join(pairs)}"
    raise InputError([Problem(shown, what + more, "add them, or --close")])


def _pair(pair: tuple[int, int], names: Sequence[str]) -> str:
    return f"{_value(names[pair[0]])} to {_value(names[pair[1]])}"


def _value(name: str) -> str:
    return f'"{printable(name, _VALUE_SHOWN)}"'
