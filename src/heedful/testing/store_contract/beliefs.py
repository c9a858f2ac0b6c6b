"""The store contract: conflicts, claims alike, what rests on what, what was made from what, and jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from heedful.claims.claim import ClaimStatus, Form
from heedful.claims.conflict import Conflict, Outcome, Resolution
from heedful.kernel.ids import ClaimId, ConflictId, PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Classification
from heedful.ledger.seal import SealedEvent
from heedful.observations.record import RecordStatus
from heedful.ports.store import FormCount, StoredJob, Writing
from heedful.testing.builders import NOON_US, append_event, build_claim, build_id, build_stored, build_tenant, scope_of
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant, opened

T = TypeVar("T")
ANA = scope_of("user:ana")
ODD = "家 \u202e\U0001f600 'x' --"


def build_conflict(number: int, standing: int, newcomer: int) -> Conflict:
    """An open conflict at position `number` between the claims of these numbers."""
    return Conflict(
        conflict_id=ConflictId(build_id(number, "conflict")),
        position=number,
        detected_at_us=NOON_US + number,
        standing_id=build_claim(standing).claim_id,
        newcomer_id=build_claim(newcomer).claim_id,
        outcome=Outcome.ASK,
        because=ODD,
        question="\u0000?",
    )


def ended(conflict: Conflict) -> Conflict:
    """The same, won by the newcomer."""
    return replace(
        conflict,
        resolution=Resolution.B_WINS,
        resolved_by=PrincipalId("person:ana"),
        resolved_at_us=NOON_US + 100,
        reason=ODD,
    )


def put_all(put: Callable[[T], None], values: Iterable[T]) -> None:
    """Each of the values is put, in order."""
    for each in values:
        put(each)


class TestCounts:
    """forms_held and records_of_newest_run."""

    def test_waiting_and_active_claims_are_counted_by_form_and_scope(self, stores: StoreFactory) -> None:
        """Whatever is in their texts; none that ended; of an empty store nothing."""
        task = scope_of("project:payments", "task:42")
        claims = (
            build_claim(1, scope=ANA, form=Form.FACT, statement=ODD + "\u0000", status=ClaimStatus.ACTIVE),
            build_claim(2, scope=ANA, form=Form.FACT, status=ClaimStatus.POLICY_REVIEWED),
            build_claim(3, scope=ANA, form=Form.PLAN, status=ClaimStatus.PROPOSED),
            build_claim(4, scope=task, form=Form.FACT, status=ClaimStatus.EVIDENCE_VERIFIED),
            build_claim(5, scope=task, form=Form.FACT, status=ClaimStatus.SUPERSEDED),
            build_claim(6, scope=task, form=Form.EVENT, status=ClaimStatus.QUARANTINED),
        )
        with one_tenant(stores) as tenant_store:
            with tenant_store.read() as reading:
                assert (reading.forms_held(), reading.records_of_newest_run()) == ((), 0)
            tenant_store.write(lambda writing: put_all(writing.put_claim, claims))
            with tenant_store.read() as reading:
                held = reading.forms_held()
        counts = [FormCount(Form.FACT, task, 1), FormCount(Form.FACT, ANA, 2), FormCount(Form.PLAN, ANA, 1)]
        assert [*held] == sorted(counts, key=lambda each: (each.scope.key, each.form))

    def test_the_records_of_the_newest_run_are_counted(self, stores: StoreFactory) -> None:
        """Those that are evidence; none where the newest record is of no run."""
        first = [build_stored(number, run_id=RunId(run)) for number, run in enumerate(("a", "b", "a", "a"), 1)]
        first[2] = replace(first[2], status=RecordStatus.WITHDRAWN)
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_record, first))
            with tenant_store.read() as reading:
                assert reading.records_of_newest_run() == 2
            tenant_store.write(lambda writing: writing.put_record(build_stored(9, run_id=None)))
            with tenant_store.read() as reading:
                assert reading.records_of_newest_run() == 0


class TestConflicts:
    """put_conflict, conflict, conflicts and conflicts_of."""

    def test_a_conflict_comes_back_as_it_was_given(self, stores: StoreFactory) -> None:
        """Open or ended, to the last character; another id is None."""
        first, second = build_conflict(1, 1, 2), ended(build_conflict(2, 2, 3))
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_conflict, (first, second)))
            with tenant_store.read() as reading:
                assert [reading.conflict(each.conflict_id) for each in (first, second)] == [first, second]
                assert reading.conflict(ConflictId("\ud800")) is None
                assert reading.conflict(ConflictId(build_id(9, "conflict"))) is None

    def test_conflicts_are_listed_newest_first_open_ones_apart(self, stores: StoreFactory) -> None:
        """A page goes on below the position that the last one ended at; one that was ended is open no more."""
        three = [build_conflict(number, number, number + 1) for number in (1, 2, 3)]

        def work(writing: Writing) -> None:
            for each in (*three, ended(three[1])):
                writing.put_conflict(each)

        with one_tenant(stores) as tenant_store:
            tenant_store.write(work)
            with tenant_store.read() as reading:
                listed = reading.conflicts(only_open=False, before=None, limit=2)
                assert listed == (three[2], ended(three[1]))
                assert reading.conflicts(only_open=False, before=2, limit=2) == (three[0],)
                assert reading.conflicts(only_open=True, before=None, limit=9) == (three[2], three[0])

    def test_the_conflicts_of_claims_are_those_on_either_side(self, stores: StoreFactory) -> None:
        """Each once, in ledger order, however many claims are asked for."""
        first, second = build_conflict(1, 1, 2), ended(build_conflict(2, 2, 3))
        unknown = [ClaimId(build_id(number, "other")) for number in range(900)]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_conflict, (second, first)))
            with tenant_store.read() as reading:
                one, two, three = (build_claim(number).claim_id for number in (1, 2, 3))
                assert reading.conflicts_of([one], only_open=False) == (first,)
                assert reading.conflicts_of([three, *unknown, two, one], only_open=False) == (first, second)
                assert reading.conflicts_of([three, two], only_open=True) == (first,)
                assert reading.conflicts_of([], only_open=False) == ()
                assert reading.conflicts_of([ClaimId("\ud800")], only_open=False) == ()

    def test_a_conflict_is_its_tenants_own(self, stores: StoreFactory) -> None:
        """Another tenant lists none."""
        with opened(stores) as store:
            ana, ben = (add_tenant(store, build_tenant(number)) for number in (1, 2))
            conflict = build_conflict(1, 1, 2)
            ana.write(lambda writing: writing.put_conflict(conflict))
            with ben.read() as reading:
                assert reading.conflict(conflict.conflict_id) is None
                assert reading.conflicts(only_open=False, before=None, limit=9) == ()
                assert reading.conflicts_of([conflict.standing_id], only_open=False) == ()


class TestClaimsAlike:
    """claims_alike."""

    def test_claims_of_one_subject_and_property_are_found_by_both(self, stores: StoreFactory) -> None:
        """Of this very scope, classification and status; the newest first, and no more than asked for."""
        home = {"subject": "user:ana", "property": ODD}
        same = [build_claim(number, **home) for number in (1, 2, 3)]
        others = [
            build_claim(4, subject="user:Ana", property=ODD),
            build_claim(5, subject="user:ana", property=ODD.lower() + "x"),
            build_claim(6, **home, scope=scope_of("user:ana", "project:p")),
            build_claim(7, **home, classification=Classification.RESTRICTED),
            build_claim(8, **home, status=ClaimStatus.SUPERSEDED),
        ]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_claim, (*same, *others)))
            with tenant_store.read() as reading:

                def alike(**changes: object) -> list[int]:
                    asked = {"scope": ANA, "classification": Classification.NORMAL, "subject": "user:ana"}
                    asked |= {"property_name": ODD, "statuses": [ClaimStatus.ACTIVE], "limit": 9} | changes
                    return [claim.position for claim in reading.claims_alike(**asked)]  # type: ignore[arg-type]

                assert alike() == [3, 2, 1]
                assert alike(limit=2) == [3, 2]
                assert alike(statuses=[ClaimStatus.SUPERSEDED, ClaimStatus.ACTIVE]) == [8, 3, 2, 1]
                assert alike(classification=Classification.RESTRICTED) == [7]
                assert alike(scope=scope_of("user:nobody")) == []
                assert (alike(statuses=[]), alike(subject="\ud800"), alike(property_name="\ud800")) == ([], [], [])


class TestGroundsAndOrigins:
    """claims_resting_on and records_from."""

    def test_what_rests_on_a_claim_is_found_from_it(self, stores: StoreFactory) -> None:
        """In ledger order; putting the claim again changes nothing. The ground itself need not be there."""
        ground = ClaimId(build_id(1, "ground"))
        resting = [build_claim(number, rests_on=(ground,)) for number in (3, 2)]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_claim, (*resting, *resting)))
            with tenant_store.read() as reading:
                assert [each.position for each in reading.claims_resting_on(ground)] == [2, 3]
                assert reading.claims_resting_on(resting[0].claim_id) == ()
                assert reading.claims_resting_on(ClaimId("\ud800")) == ()

    def test_what_rests_on_any_of_several_claims_is_found_once(self, stores: StoreFactory) -> None:
        """However many are asked for; in ledger order."""
        one, two = (ClaimId(build_id(number, "ground")) for number in (1, 2))
        resting = (build_claim(4, rests_on=(two, one)), build_claim(3, rests_on=(one,)), build_claim(5))
        unknown = [ClaimId(build_id(number, "other")) for number in range(900)]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_claim, resting))
            with tenant_store.read() as reading:
                found = reading.claims_resting_on_any([one, *unknown, two, ClaimId("\ud800")])
                assert [each.position for each in found] == [3, 4]
                assert reading.claims_resting_on_any([]) == ()

    def test_what_was_made_from_a_record_is_found_from_it(self, stores: StoreFactory) -> None:
        """In ledger order, with where each stands."""
        origin = RecordId(build_id(1, "origin"))
        made = [build_stored(number, derived_from=(origin, RecordId("x"))) for number in (3, 2)]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_record, (*made, build_stored(4))))
            with tenant_store.read() as reading:
                assert reading.records_from(origin) == (made[1], made[0])
                assert reading.records_from(RecordId("y")) == ()
                assert reading.records_from(RecordId("\ud800")) == ()


class TestJobs:
    """put_job, job and jobs."""

    def test_a_job_is_kept_by_its_name_and_no_refold_takes_it(self, stores: StoreFactory) -> None:
        """The later one counts; clearing the views leaves it, and it is in no dump of them."""
        job = StoredJob("collect", "worker-1", NOON_US + 60, NOON_US, None, "", None)
        other = StoredJob(ODD, None, 0, NOON_US, NOON_US, ODD, '{"moved":[]}')
        with one_tenant(stores) as tenant_store:
            with tenant_store.read() as reading:
                before = list(reading.dump_views())
            tenant_store.write(lambda writing: put_all(writing.put_job, (job, other)))
            later = replace(job, holder=None, finished_at_us=NOON_US)
            tenant_store.write(lambda writing: writing.put_job(later))
            tenant_store.write(lambda writing: writing.clear_views())
            with tenant_store.read() as reading:
                assert (reading.job("collect"), reading.job(ODD)) == (later, other)
                assert reading.jobs() == tuple(sorted((later, other), key=lambda each: each.name.encode()))
                assert (reading.job("Collect"), reading.job("\ud800")) == (None, None)
                assert list(reading.dump_views()) == before

    def test_what_put_claims_right_is_found_by_the_claims_and_by_what_did_it(self, stores: StoreFactory) -> None:
        """As events in ledger order; what brought a claim by the claim; a tenant's own, and gone with the views."""
        one, two, odd = (ClaimId(build_id(number, "claim")) for number in (1, 2, 3))

        def work(writing: Writing) -> None:
            for _ in range(3):
                append_event(writing, build_tenant(1))
            writing.put_claim(replace(build_claim(1, position=2), claim_id=one))
            for position, claim_id, by in ((3, one, two), (1, one, None), (2, two, one), (2, two, two)):
                writing.put_claim_change(position, claim_id, by)

        def found(events: Iterable[SealedEvent]) -> list[int]:
            return [each.envelope.position for each in events]

        with opened(stores) as store:
            ana, ben = (add_tenant(store, build_tenant(number)) for number in (1, 2))
            ana.write(work)
            with ana.read() as reading, ben.read() as other:
                assert found(reading.claim_changes([odd, ClaimId("\ud800"), two, one])) == [1, 2, 3]
                assert (found(reading.claim_changes([two])), found(reading.claim_changes([]))) == ([2], [])
                assert (found(reading.changes_by([two])), found(reading.changes_by([one]))) == ([2, 3], [])
                assert (found(reading.claims_proposed([one, two])), found(other.claims_proposed([one]))) == ([2], [])
                assert (found(other.claim_changes([one])), found(other.changes_by([two]))) == ([], [])
            ana.write(lambda writing: writing.clear_views())
            with ana.read() as reading:
                assert found(reading.claim_changes([one, two])) == []

    def test_a_refold_begins_without_conflicts_grounds_and_origins(self, stores: StoreFactory) -> None:
        """Clearing the views takes them all."""
        ground, origin = ClaimId(build_id(1, "ground")), RecordId(build_id(1, "origin"))
        conflict = build_conflict(1, 1, 2)

        def work(writing: Writing) -> None:
            writing.put_claim(build_claim(1, rests_on=(ground,)))
            writing.put_record(build_stored(1, derived_from=(origin,)))
            writing.put_conflict(conflict)

        with one_tenant(stores) as tenant_store:
            tenant_store.write(work)
            with tenant_store.read() as reading:
                assert (len(reading.claims_resting_on(ground)), len(reading.records_from(origin))) == (1, 1)
            tenant_store.write(lambda writing: writing.clear_views())
            with tenant_store.read() as reading:
                assert (reading.claims_resting_on(ground), reading.records_from(origin)) == ((), ())
                assert reading.conflict(conflict.conflict_id) is None
