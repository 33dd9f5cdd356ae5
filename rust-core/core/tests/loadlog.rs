//! The ledger against a naive model: any order, repetition, loss and restart of a batch's events
//! ends as the straight run does.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;
use rowhash_core::loadlog::{
    BatchKey, Carried, Claim, Confirmation, Counts, Event, EventError, FIELDS, Failure, Ledger,
    LedgerError, Location, Master, Outcome, REPLAY_FIELDS, Replay, Report, Route, Rules,
    StateLimits, Status, UnitId, is_reject,
};

const RULES: Rules = Rules {
    settle: 5_000,
    timeout: 3_600_000,
    retention: 600_000,
    log_loaded: false,
};

fn key() -> BatchKey {
    BatchKey::new("NAS", "R01", "bronze", "nas_copilot_call", "20260225143000").unwrap()
}

/// What one unit of a generated batch goes through.
#[derive(Clone, Debug)]
struct UnitPlan {
    kind: Kind,
    /// Whether FetchFile, SplitText or, for a whole file, the sink failed first.
    fails_first: bool,
    declares: bool,
    items: Vec<ItemPlan>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A split: an event an item.
    Split,
    /// A file that goes through at once: one event for its good rows, and one for each reject.
    Whole,
    /// Such a file whose good rows the sink refuses for good, until it is replayed.
    WholeFails,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ItemPlan {
    Loads,
    FailsThenLoads,
    /// Fails, and is replayed so often in vain before a replay loads it.
    Fails(u8),
}

/// Replays that are tried; an item that needs more of them stays failed.
const ROUNDS: u8 = 2;

fn plan() -> impl Strategy<Value = Vec<UnitPlan>> {
    let item = prop_oneof![
        Just(ItemPlan::Loads),
        Just(ItemPlan::FailsThenLoads),
        (0..=ROUNDS).prop_map(ItemPlan::Fails),
    ];
    let kind = prop_oneof![
        3 => Just(Kind::Split),
        1 => Just(Kind::Whole),
        1 => Just(Kind::WholeFails),
    ];
    let unit = (
        kind,
        any::<bool>(),
        any::<bool>(),
        prop::collection::vec(item, 0..6),
    )
        .prop_map(|(kind, fails_first, declares, items)| UnitPlan {
            kind,
            fails_first,
            // A unit without items is heard of by its declaration only.
            declares: declares || items.is_empty(),
            items,
        });
    prop::collection::vec(unit, 1..5)
}

impl ItemPlan {
    fn fails(self) -> bool {
        matches!(self, Self::Fails(_))
    }
}

impl UnitPlan {
    /// The rows that a whole file loads at once.
    fn good_rows(&self) -> u64 {
        self.items.iter().filter(|item| !item.fails()).count() as u64
    }

    fn sink_fails(&self) -> bool {
        self.kind == Kind::WholeFails && self.good_rows() > 0
    }
}

fn unit_id(unit: usize, kind: Kind) -> UnitId {
    match kind {
        Kind::Split => UnitId::Split(format!("unit-{unit}")),
        Kind::Whole | Kind::WholeFails => UnitId::File(format!("/in/{unit}")),
    }
}

fn event(unit: usize, item: Option<usize>, count: Option<usize>, outcome: Outcome) -> Event {
    Event {
        key: key(),
        unit: unit_id(unit, Kind::Split),
        count: count.map(|count| count as u64),
        is_fragment: item.is_some(),
        units: None,
        outcome,
        retry_count: 0,
        created_dt: None,
        carried: None,
        replayed_unit: false,
        entered: None,
        location: Location {
            // These name the item in its detail records.
            file_name: Some(unit.to_string()),
            record_key: item.map(|item| item.to_string()),
            ..Location::default()
        },
    }
}

fn failure() -> Failure {
    Failure {
        message: "no match".to_owned(),
        processor: "ExtractText".to_owned(),
    }
}

/// The events of a plan, in the order in which a flow without trouble gives them.
fn events(plan: &[UnitPlan]) -> Vec<Event> {
    let of_unit = |(index, unit): (usize, &UnitPlan)| match unit.kind {
        Kind::Split => events_of_split(index, unit),
        Kind::Whole | Kind::WholeFails => events_of_whole(index, unit, unit.kind == Kind::Whole),
    };
    plan.iter().enumerate().flat_map(of_unit).collect()
}

fn events_of_split(index: usize, unit: &UnitPlan) -> Vec<Event> {
    let mut events = Vec::new();
    let count = Some(unit.items.len());
    if unit.fails_first {
        events.push(event(index, None, None, Outcome::UnitFailed(failure())));
    }
    if unit.declares {
        events.push(event(index, None, count, Outcome::Declared));
    }
    for (item, plan) in unit.items.iter().enumerate() {
        let number = item + 1;
        if *plan != ItemPlan::Loads {
            let failed = Outcome::Failed(number as u64, failure());
            events.push(event(index, Some(number), count, failed));
        }
        if !plan.fails() {
            let loaded = Outcome::Loaded(number as u64);
            events.push(event(index, Some(number), count, loaded));
        }
    }
    events
}

fn events_of_whole(index: usize, unit: &UnitPlan, loads: bool) -> Vec<Event> {
    let of_file = |item: Option<usize>, outcome| Event {
        unit: unit_id(index, Kind::Whole),
        is_fragment: false,
        ..event(index, item, Some(unit.items.len()), outcome)
    };
    let mut events: Vec<Event> = (1..)
        .zip(&unit.items)
        .filter(|(_, plan)| plan.fails())
        .map(|(number, _)| of_file(Some(number), Outcome::Failed(number as u64, failure())))
        .collect();
    if unit.good_rows() > 0 && (!loads || unit.fails_first) {
        events.push(of_file(None, Outcome::UnitFailed(failure())));
    }
    if loads && (unit.good_rows() > 0 || unit.items.is_empty()) || unit.items.is_empty() {
        events.push(of_file(None, Outcome::RowsLoaded(unit.good_rows())));
    }
    events
}

/// What the batch must end as after so many rounds of replays: source, loaded, failed.
fn expected(plan: &[UnitPlan], rounds: u8) -> (Status, u32, u32, u32) {
    let mut failed = 0;
    for unit in plan {
        failed += unit
            .items
            .iter()
            .filter(|item| matches!(item, ItemPlan::Fails(vain) if *vain >= rounds))
            .count() as u32;
        if unit.sink_fails() && rounds == 0 {
            failed += unit.good_rows() as u32;
        }
    }
    let src = plan.iter().map(|unit| unit.items.len()).sum::<usize>() as u32;
    let status = match (failed, src - failed) {
        (0, _) => Status::Success,
        (_, 0) => Status::Fail,
        _ => Status::Partial,
    };
    (status, src, src - failed, failed)
}

/// A row of load_log_detail.
#[derive(Clone, Debug)]
struct Row {
    failed: bool,
    retry_count: i32,
    created_dt: i64,
    rows: u32,
    apart: u32,
}

/// One cluster's shared state, the two tables, and everything that ever left a processor.
#[derive(Default)]
struct World {
    state: Vec<String>,
    now: i64,
    masters: Vec<Master>,
    details: BTreeMap<i32, Row>,
    /// Whose rows they are: unit and item.
    names: BTreeMap<i32, String>,
    seen: Vec<Event>,
    /// What happened, for a failure of the test.
    story: Vec<String>,
}

impl World {
    fn write(&mut self, report: &Report) {
        for master in &report.masters {
            if master.status.is_final() && self.now < RULES.timeout {
                self.assert_nothing_is_open();
            }
            self.masters.push(master.clone());
        }
        for detail in &report.details {
            let row = Row {
                failed: detail.failure.is_some(),
                retry_count: detail.retry_count,
                created_dt: detail.created_dt,
                rows: detail.rows as u32,
                apart: detail.apart as u32,
            };
            self.details.insert(detail.detail_seq, row);
            // An item of a split that timed out has no place, and comes later.
            let Some(unit) = &detail.location.file_name else {
                continue;
            };
            let item = detail.item.map(|item| item.to_string());
            let item = item.or(detail.location.record_key.clone());
            let name = format!("{unit}/{}", item.unwrap_or_default());
            let known = self
                .names
                .entry(detail.detail_seq)
                .or_insert_with(|| name.clone());
            assert_eq!(*known, name, "{} has two items", detail.detail_seq);
        }
    }

    /// No unit whose count was heard of may have items that were not.
    fn assert_nothing_is_open(&self) {
        let mut counts: BTreeMap<&UnitId, u64> = BTreeMap::new();
        let mut heard: BTreeMap<&UnitId, BTreeSet<u64>> = BTreeMap::new();
        let mut rows: BTreeMap<&UnitId, u64> = BTreeMap::new();
        for event in &self.seen {
            let items = heard.entry(&event.unit).or_default();
            match event.outcome {
                Outcome::Loaded(item) | Outcome::Failed(item, _) => drop(items.insert(item)),
                Outcome::RowsLoaded(count) => drop(rows.insert(&event.unit, count)),
                // All that was not heard of has failed.
                Outcome::UnitFailed(_) if !event.is_fragment => {
                    let count = event.count.unwrap_or(0);
                    rows.entry(&event.unit).or_insert(count);
                }
                _ => {}
            }
            if let Some(count) = event.count {
                counts.insert(&event.unit, count);
            }
        }
        for (unit, count) in counts {
            let known = heard[unit].len() as u64 + rows.get(unit).copied().unwrap_or(0);
            assert!(known >= count, "final with {unit:?} open");
        }
    }

    /// A trigger of one node: the state is changed, then the session commits or is rolled back.
    fn trigger(&mut self, events: &[Event], commits: bool) -> Report {
        let mut ledger = Ledger::from_state(&self.state).unwrap();
        let report = ledger.step(events, self.now, &RULES);
        self.state = ledger.to_state(StateLimits::default()).unwrap();
        self.seen.extend_from_slice(events);
        self.tell(events, &report, commits);
        if commits {
            self.write(&report);
            self.confirm(&report.confirmations);
        }
        report
    }

    fn tell(&mut self, events: &[Event], report: &Report, commits: bool) {
        let of_event = |event: &Event| {
            let seq = event.carried.map(|carried| carried.detail_seq);
            let what = match &event.outcome {
                Outcome::Failed(item, _) => format!("Failed({item})"),
                Outcome::UnitFailed(_) => "UnitFailed".to_owned(),
                outcome => format!("{outcome:?}"),
            };
            format!("{:?} {what} of {:?} seq {seq:?}", event.unit, event.count)
        };
        let details = report.details.iter().map(|detail| {
            let outcome = if detail.failure.is_some() {
                "FAIL"
            } else {
                "SUCCESS"
            };
            format!("{} {outcome}", detail.detail_seq)
        });
        self.story.push(format!(
            "{} {} {:?}\n    {:?}\n    {:?} {:?}",
            self.now,
            if commits { "commit" } else { "rollback" },
            events.iter().map(of_event).collect::<Vec<_>>(),
            details.collect::<Vec<_>>(),
            counts(report),
            report.refused.len(),
        ));
    }

    fn confirm(&mut self, confirmations: &[Confirmation]) {
        let mut ledger = Ledger::from_state(&self.state).unwrap();
        ledger.confirm(confirmations, self.now, &RULES);
        self.state = ledger.to_state(StateLimits::default()).unwrap();
    }

    fn tick(&mut self, confirms: bool) {
        let mut ledger = Ledger::from_state(&self.state).unwrap();
        let report = ledger.step(&[], self.now, &RULES);
        self.state = ledger.to_state(StateLimits::default()).unwrap();
        self.tell(&[], &report, confirms);
        self.write(&report);
        if confirms {
            self.confirm(&report.confirmations);
        }
    }

    fn after(&mut self, millis: i64) {
        self.now += millis;
        self.tick(true);
    }

    fn open_batches(&self) -> usize {
        Ledger::from_state(&self.state).unwrap().len()
    }

    /// The state needs room: what is only kept for its failures leaves.
    fn make_room(&mut self) {
        let mut ledger = Ledger::from_state(&self.state).unwrap();
        let limits = StateLimits {
            resting: 0,
            ..StateLimits::default()
        };
        self.state = ledger.fit(self.now, limits).unwrap().0;
    }

    /// Events with everything that can happen to them, until all of them have left.
    fn run(&mut self, mut rest: Vec<Event>, trouble: &Trouble) {
        for (count, commits, pause) in &trouble.triggers {
            if rest.is_empty() {
                break;
            }
            let taken: Vec<Event> = rest.drain(..(*count).min(rest.len())).collect();
            // A session that is rolled back, or a node that is killed, after the state changed:
            // the FlowFiles are in the queue still.
            self.trigger(&taken, *commits);
            if !commits {
                rest.extend(taken);
            }
            self.now += pause;
            if trouble.unconfirmed_ticks {
                self.tick(false);
            }
        }
        self.trigger(&rest, true);
        self.after(RULES.settle);
    }

    fn last_master(&self) -> (Status, u32, u32, u32) {
        let last = self.masters.last().unwrap();
        (
            last.status,
            last.src_count,
            last.load_count,
            last.error_count,
        )
    }

    /// What the re-run query gives and the flow makes of it: each failed item once more.
    fn replays(&self, plan: &[UnitPlan], round: u8) -> Vec<Event> {
        let master = self.masters.last().unwrap();
        let mut events = Vec::new();
        for (seq, row) in self.details.iter().filter(|(_, row)| row.failed) {
            let (unit, item) = self.names[seq].split_once('/').unwrap();
            let unit: usize = unit.parse().unwrap();
            let again = |event: Event| Event {
                retry_count: row.retry_count + 1,
                created_dt: Some(row.created_dt),
                entered: Some(self.now),
                is_fragment: false,
                carried: Some(Carried {
                    detail_seq: *seq,
                    item: None,
                    rows: row.rows,
                    apart: row.apart,
                    counts: Some(Counts {
                        src: master.src_count,
                        load: master.load_count,
                        error: master.error_count,
                    }),
                    max_detail_seq: *self.details.keys().last().unwrap(),
                    min_detail_seq: *self.details.keys().next().unwrap(),
                    start_ts: Some(master.start_ts),
                }),
                ..event
            };
            match item.parse::<usize>() {
                Ok(item) => {
                    let outcome = match plan[unit].items[item - 1] {
                        ItemPlan::Fails(vain) if vain >= round => Outcome::UnitFailed(failure()),
                        _ => Outcome::RowsLoaded(1),
                    };
                    events.push(again(Event {
                        unit: UnitId::Rest,
                        ..event(unit, Some(item), None, outcome)
                    }));
                }
                Err(_) => {
                    let file = events_of_whole(unit, &plan[unit], true);
                    let loads = |event: &Event| !matches!(event.outcome, Outcome::UnitFailed(_));
                    // Its rejects were logged before, and each of them is replayed for itself.
                    events.extend(file.into_iter().filter(loads).map(|event| Event {
                        replayed_unit: true,
                        ..again(event)
                    }));
                }
            }
        }
        events
    }
}

/// How a history departs from the straight run.
#[derive(Clone, Debug)]
struct Trouble {
    order: Vec<Index>,
    repeats: Vec<Index>,
    /// Events a trigger takes, whether its session commits, and how long until the next.
    triggers: Vec<(usize, bool, i64)>,
    unconfirmed_ticks: bool,
}

fn trouble() -> impl Strategy<Value = Trouble> {
    (
        prop::collection::vec(any::<Index>(), 60),
        prop::collection::vec(any::<Index>(), 0..6),
        prop::collection::vec((1_usize..8, any::<bool>(), 0_i64..7_000), 60),
        any::<bool>(),
    )
        .prop_map(|(order, repeats, triggers, unconfirmed_ticks)| Trouble {
            order,
            repeats,
            triggers,
            unconfirmed_ticks,
        })
}

/// The events repeated and in another order.
fn troubled(events: &[Event], trouble: &Trouble) -> Vec<Event> {
    let mut rest = events.to_vec();
    if !events.is_empty() {
        let repeats = trouble.repeats.iter();
        rest.extend(repeats.map(|index| index.get(events).clone()));
    }
    let mut mixed = Vec::new();
    for index in trouble.order.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        mixed.push(rest.swap_remove(index.index(rest.len())));
    }
    mixed
}

fn check_end(world: &World, plan: &[UnitPlan], rounds: u8) {
    assert_eq!(
        world.last_master(),
        expected(plan, rounds),
        "{}",
        world.story.join("\n")
    );
    // Each item has one number, and no number has two items, which `write` sees to.
    let mut given = BTreeMap::new();
    for (seq, name) in &world.names {
        let other = given.insert(name, seq);
        assert_eq!(
            other,
            None,
            "{name} has another number than {seq}\n{}",
            world.story.join("\n")
        );
    }
    // An item that loaded after it failed is logged as loaded, one that never loaded is not.
    for (unit, unit_plan) in plan.iter().enumerate() {
        let row = |item: String| {
            given
                .get(&format!("{unit}/{item}"))
                .map(|seq| &world.details[seq])
        };
        for (item, item_plan) in unit_plan.items.iter().enumerate() {
            let row = row((item + 1).to_string());
            match item_plan {
                ItemPlan::Fails(vain) => {
                    let row = row.unwrap();
                    assert_eq!(row.failed, *vain >= rounds, "{unit}/{}", item + 1);
                    // A first failure that comes once more tells of no retry.
                    assert!(row.retry_count <= i32::from(rounds.min(vain + 1)));
                }
                // Where the load came first, the failure that followed changed nothing.
                _ => assert!(
                    row.is_none_or(|row| !row.failed),
                    "{unit}/{}\n{}",
                    item + 1,
                    world.story.join("\n")
                ),
            }
        }
        let whole = row(String::new());
        assert!(
            whole.is_none_or(|row| row.failed == (unit_plan.sink_fails() && rounds == 0)),
            "{unit}\n{}",
            world.story.join("\n")
        );
    }
    // However often it was opened again, the batch began once.
    let began: BTreeSet<i64> = world.masters.iter().map(|master| master.start_ts).collect();
    assert_eq!(began.len(), 1, "{began:?}");
    for row in world.details.values() {
        assert!(row.created_dt <= world.now);
    }
}

/// Those events that come when the flow has been silent for longer than the batch timeout. The first
/// one of each unit does not: a unit that nobody has heard of is not missing. Nor do the rejects of
/// a file that fails as a whole, which are known before the sink sees it.
fn withhold(events: &[Event], which: &[bool], plan: &[UnitPlan]) -> (Vec<Event>, Vec<Event>) {
    let mut units = BTreeSet::new();
    let (mut now, mut late) = (Vec::new(), Vec::new());
    for (event, withheld) in events.iter().zip(which.iter().cycle()) {
        let unit: usize = event
            .location
            .file_name
            .as_deref()
            .unwrap()
            .parse()
            .unwrap();
        let is_first = units.insert(unit);
        let fails =
            plan[unit].kind != Kind::Split && (plan[unit].sink_fails() || plan[unit].fails_first);
        match *withheld && !is_first && !fails {
            true => late.push(event.clone()),
            false => now.push(event.clone()),
        }
    }
    (now, late)
}

/// The sink sees a whole file after its rejects are known.
fn sink_last(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by_key(|event| match (&event.unit, &event.outcome) {
        (UnitId::File(_), Outcome::UnitFailed(_)) => 1,
        _ => 0,
    });
    events
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn every_history_ends_as_the_straight_run(
        plan in plan(),
        troubles in prop::collection::vec(trouble(), 2 + usize::from(ROUNDS)),
        silent in any::<bool>(),
        withheld in prop::collection::vec(any::<bool>(), 7),
        makes_room in prop::collection::vec(any::<bool>(), 1 + usize::from(ROUNDS)),
    ) {
        // Histories without any silence have nothing withheld.
        let which: &[bool] = if silent { &withheld } else { &[false] };
        let mut all = events(&plan);
        for event in &mut all {
            event.entered = Some(-1);
        }
        let (first, late) = withhold(&all, which, &plan);
        let mut world = World::default();
        world.run(sink_last(troubled(&first, &troubles[0])), &troubles[0]);
        if silent {
            world.now = world.now.max(RULES.timeout);
            world.after(RULES.timeout);
            world.run(sink_last(troubled(&late, &troubles[1])), &troubles[1]);
        }
        check_end(&world, &plan, 0);

        for round in 1..=ROUNDS {
            // Nothing follows a batch that is over but its last record, once more.
            world.after(RULES.retention);
            let before = world.masters.len();
            world.after(RULES.retention);
            prop_assert_eq!(world.masters.len(), before);
            if makes_room[usize::from(round)] {
                world.make_room();
                prop_assert_eq!(world.open_batches(), 0);
            }
            // What comes twice comes to a batch that has left, or to one that is complete.
            world.run(troubled(&all, &troubles[0]), &troubles[0]);
            prop_assert_eq!(world.last_master(), expected(&plan, round - 1), "{}", world.story.join("\n"));

            let again = world.replays(&plan, round);
            world.run(troubled(&again, &troubles[usize::from(round) + 1]), &troubles[usize::from(round) + 1]);
            check_end(&world, &plan, round);
            let attempts = world.seen.iter().map(|event| event.retry_count).max().unwrap_or(0);
            prop_assert_eq!(world.masters.last().unwrap().attempt, attempts as u32 + 1, "attempt\n{}", world.story.join("\n"));
            all.extend(again);
        }
        world.after(RULES.retention);
        world.after(RULES.timeout);
        let (status, ..) = world.last_master();
        prop_assert_eq!(world.open_batches(), usize::from(status != Status::Success));
    }
}

#[test]
fn one_file_a_batch_numbers_its_items_by_their_index() {
    let plan = [UnitPlan {
        kind: Kind::Split,
        fails_first: false,
        declares: true,
        items: vec![ItemPlan::Fails(0); 3],
    }];
    let mut world = World::default();
    world.trigger(&events(&plan), true);
    let numbers: Vec<i32> = world.details.keys().copied().collect();
    assert_eq!(numbers, [1, 2, 3]);
}

fn step(ledger: &mut Ledger, events: &[Event], now: i64) -> Report {
    ledger.step(events, now, &RULES)
}

/// A step whose records leave the processor.
fn confirmed_step(ledger: &mut Ledger, events: &[Event], now: i64) -> Report {
    let report = step(ledger, events, now);
    ledger.confirm(&report.confirmations, now, &RULES);
    report
}

fn counts(report: &Report) -> Vec<(Status, u32, u32, u32)> {
    let of = |m: &Master| (m.status, m.src_count, m.load_count, m.error_count);
    report.masters.iter().map(of).collect()
}

fn loaded(unit: usize, item: usize, count: usize) -> Event {
    event(unit, Some(item), Some(count), Outcome::Loaded(item as u64))
}

fn failed(unit: usize, item: usize, count: usize) -> Event {
    event(
        unit,
        Some(item),
        Some(count),
        Outcome::Failed(item as u64, failure()),
    )
}

fn carried(detail_seq: i32, counts: (u32, u32, u32)) -> Carried {
    Carried {
        detail_seq,
        item: None,
        rows: 1,
        apart: 0,
        counts: Some(Counts {
            src: counts.0,
            load: counts.1,
            error: counts.2,
        }),
        max_detail_seq: detail_seq.max(1),
        min_detail_seq: detail_seq.min(0),
        start_ts: None,
    }
}

#[test]
fn a_batch_is_running_at_first_sight_and_final_after_the_settle_time() {
    let mut ledger = Ledger::default();
    let first = confirmed_step(&mut ledger, &[loaded(0, 1, 1)], 0);
    assert_eq!(counts(&first), [(Status::Running, 1, 1, 0)]);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], RULES.settle - 1)),
        []
    );
    let last = confirmed_step(&mut ledger, &[], RULES.settle);
    assert_eq!(counts(&last), [(Status::Success, 1, 1, 0)]);
    assert_eq!(
        (last.masters[0].start_ts, last.masters[0].end_ts),
        (0, Some(0))
    );
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], RULES.settle + 1)),
        []
    );
}

#[test]
fn a_batch_whose_units_are_declared_is_final_at_once() {
    let mut ledger = Ledger::default();
    let declared = |event: Event| Event {
        units: Some(2),
        ..event
    };
    let first = confirmed_step(&mut ledger, &[declared(loaded(0, 1, 1))], 0);
    assert_eq!(counts(&first), [(Status::Running, 1, 1, 0)]);
    let second = confirmed_step(&mut ledger, &[declared(failed(1, 1, 1))], 1);
    assert_eq!(counts(&second), [(Status::Partial, 2, 1, 1)]);
}

#[test]
fn a_late_unit_opens_the_batch_again() {
    let mut ledger = Ledger::default();
    confirmed_step(&mut ledger, &[loaded(0, 1, 1)], 0);
    confirmed_step(&mut ledger, &[], 5_000);
    let late = confirmed_step(&mut ledger, &[failed(1, 1, 2)], 6_000);
    assert_eq!(counts(&late), [(Status::Running, 3, 1, 1)]);
    confirmed_step(&mut ledger, &[failed(1, 2, 2)], 7_000);
    let last = confirmed_step(&mut ledger, &[], 12_000);
    assert_eq!(counts(&last), [(Status::Partial, 3, 1, 2)]);
}

#[test]
fn an_empty_source_is_a_success_of_nothing() {
    let mut ledger = Ledger::default();
    confirmed_step(
        &mut ledger,
        &[event(0, None, Some(0), Outcome::Declared)],
        0,
    );
    let last = confirmed_step(&mut ledger, &[], 5_000);
    assert_eq!(counts(&last), [(Status::Success, 0, 0, 0)]);
}

#[test]
fn a_file_whose_items_straddle_a_second_stays_in_one_batch() {
    let mut ledger = Ledger::default();
    let mut second = loaded(0, 2, 2);
    second.key.base_dts = "20260225143001".to_owned();
    confirmed_step(&mut ledger, &[loaded(0, 1, 2), second], 0);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Success, 2, 2, 0)]
    );
}

#[test]
fn units_of_a_batch_share_no_number() {
    let mut ledger = Ledger::default();
    let report = step(
        &mut ledger,
        &[failed(0, 1, 2), failed(1, 1, 2), failed(0, 2, 2)],
        0,
    );
    let numbers: Vec<i32> = report
        .details
        .iter()
        .map(|detail| detail.detail_seq)
        .collect();
    assert_eq!(numbers, [1, 4, 2]);
}

#[test]
fn a_unit_that_failed_as_a_whole_is_one_error_until_its_items_come() {
    let mut ledger = Ledger::default();
    let whole = event(0, None, None, Outcome::UnitFailed(failure()));
    let report = confirmed_step(&mut ledger, &[whole], 0);
    assert_eq!(report.details[0].detail_seq, -1);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Fail, 1, 0, 1)]
    );
    let report = confirmed_step(&mut ledger, &[loaded(0, 1, 2), loaded(0, 2, 2)], 6_000);
    assert_eq!(counts(&report), [(Status::Success, 2, 2, 0)]);
    assert_eq!(
        (report.details[0].detail_seq, &report.details[0].failure),
        (-1, &None)
    );
}

#[test]
fn a_whole_file_counts_its_rows_and_names_its_rejects() {
    let file = UnitId::File("/in/a.log".to_owned());
    let part = |item: Option<u64>, outcome| Event {
        unit: file.clone(),
        is_fragment: false,
        ..event(0, item.map(|item| item as usize), Some(5), outcome)
    };
    let rejects = [2, 4].map(|row| part(Some(row), Outcome::Failed(row, failure())));
    let mut ledger = Ledger::default();
    confirmed_step(&mut ledger, &rejects, 0);
    // The sink refuses the good rows as a whole, then takes them.
    let refused = part(None, Outcome::UnitFailed(failure()));
    confirmed_step(&mut ledger, &[refused], 1);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Fail, 5, 0, 5)]
    );
    let taken = part(None, Outcome::RowsLoaded(3));
    let report = confirmed_step(&mut ledger, &[taken.clone(), taken], 6_000);
    assert_eq!(counts(&report), [(Status::Partial, 5, 3, 2)]);
}

#[test]
fn what_never_came_is_failed_and_named_after_the_timeout() {
    let mut ledger = Ledger::default();
    confirmed_step(&mut ledger, &[loaded(0, 2, 3)], 0);
    assert!(
        confirmed_step(&mut ledger, &[], RULES.timeout - 1)
            .details
            .is_empty()
    );
    // The records are made again until they are known to have left.
    for _ in 0..2 {
        let report = step(&mut ledger, &[], RULES.timeout);
        let numbers: Vec<i32> = report
            .details
            .iter()
            .map(|detail| detail.detail_seq)
            .collect();
        assert_eq!(numbers, [1, 3]);
        assert_eq!(counts(&report), [(Status::Partial, 3, 1, 2)]);
        let message = &report.details[0].failure.as_ref().unwrap().message;
        assert!(
            message.contains("item 1 of split unit-0 was never heard of"),
            "{message}"
        );
    }
    confirmed_step(&mut ledger, &[], RULES.timeout);
    assert!(
        confirmed_step(&mut ledger, &[], RULES.timeout + 1)
            .details
            .is_empty()
    );
    // One of them was in a queue all the time.
    let found = confirmed_step(&mut ledger, &[loaded(0, 1, 3)], RULES.timeout + 2);
    assert_eq!(counts(&found), [(Status::Partial, 3, 2, 1)]);
    assert_eq!(
        (found.details[0].detail_seq, &found.details[0].failure),
        (1, &None)
    );
}

#[test]
fn declared_units_that_never_come_are_lost_one_by_one() {
    let mut ledger = Ledger::default();
    let first = Event {
        units: Some(3),
        ..loaded(0, 1, 1)
    };
    confirmed_step(&mut ledger, &[first], 0);
    let report = confirmed_step(&mut ledger, &[], RULES.timeout);
    assert_eq!(counts(&report), [(Status::Partial, 3, 1, 2)]);
    assert_eq!(report.details.len(), 2);
    let late = confirmed_step(&mut ledger, &[loaded(1, 1, 1)], RULES.timeout + 1);
    assert_eq!(counts(&late), [(Status::Partial, 3, 2, 1)]);
}

#[test]
fn a_replay_of_an_open_batch_finds_its_item_by_number() {
    let mut ledger = Ledger::default();
    let first = [failed(0, 1, 1), failed(1, 1, 2), loaded(1, 2, 2)];
    let report = confirmed_step(&mut ledger, &first, 0);
    let seq = report.details[1].detail_seq;
    let replayed = |outcome| Event {
        unit: UnitId::Rest,
        retry_count: 1,
        carried: Some(carried(seq, (3, 1, 2))),
        ..event(9, None, None, outcome)
    };
    let again = confirmed_step(&mut ledger, &[replayed(Outcome::Failed(7, failure()))], 1);
    assert_eq!(
        (again.details[0].detail_seq, again.details[0].retry_count),
        (seq, 1)
    );
    let loaded = confirmed_step(&mut ledger, &[replayed(Outcome::RowsLoaded(1))], 2);
    assert_eq!(
        (loaded.details[0].detail_seq, &loaded.details[0].failure),
        (seq, &None)
    );
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_001)),
        [(Status::Partial, 3, 2, 1)]
    );
}

#[test]
fn each_replay_of_a_batch_is_an_attempt_in_any_order() {
    let replayed = |retry_count| Event {
        unit: UnitId::Rest,
        retry_count,
        carried: Some(carried(2, (3, 1, 2))),
        ..event(9, None, None, Outcome::Failed(7, failure()))
    };
    let attempts = |report: &Report| report.masters.iter().map(|m| m.attempt).collect::<Vec<_>>();
    let mut ledger = Ledger::default();
    let first = [failed(0, 1, 1), loaded(1, 1, 1)];
    assert_eq!(attempts(&confirmed_step(&mut ledger, &first, 0)), [1]);
    assert_eq!(attempts(&confirmed_step(&mut ledger, &[], 5_000)), [1]);
    let second = confirmed_step(&mut ledger, &[replayed(1)], 5_001);
    assert_eq!(attempts(&second), [2], "though the counts are the same");
    let state = ledger.to_state(StateLimits::default()).unwrap();
    let mut ledger = Ledger::from_state(&state).unwrap();
    let third = [replayed(2), replayed(1)];
    confirmed_step(&mut ledger, &third, 5_002);
    assert_eq!(attempts(&confirmed_step(&mut ledger, &[], 20_000)), [3]);
}

#[test]
fn a_replay_opens_a_closed_batch_with_the_counts_it_brings() {
    let mut ledger = Ledger::default();
    let replayed = |seq| Event {
        unit: UnitId::Rest,
        carried: Some(carried(seq, (10, 8, 2))),
        ..event(9, None, None, Outcome::RowsLoaded(1))
    };
    confirmed_step(&mut ledger, &[replayed(3), replayed(3)], 0);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Partial, 10, 9, 1)]
    );
    confirmed_step(&mut ledger, &[replayed(7)], 6_000);
    assert_eq!(ledger.step(&[], 11_000, &RULES).masters, []);
    assert_eq!(
        counts(&step(&mut ledger, &[], 6_000 + RULES.retention)),
        [(Status::Success, 10, 10, 0)]
    );
}

#[test]
fn what_a_replay_loads_a_second_time_is_not_counted_again() {
    let mut ledger = Ledger::default();
    let replayed = |seq, counts| Event {
        unit: UnitId::Rest,
        carried: Some(carried(seq, counts)),
        ..event(9, None, None, Outcome::RowsLoaded(1))
    };
    // Item 3 was counted when the query ran, though a late claim said otherwise.
    confirmed_step(&mut ledger, &[replayed(3, (10, 9, 1))], 0);
    confirmed_step(&mut ledger, &[replayed(7, (10, 9, 1))], 0);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Success, 10, 10, 0)]
    );
}

#[test]
fn a_replay_without_the_counts_of_a_closed_batch_is_refused_and_begins_no_batch() {
    let mut ledger = Ledger::default();
    let without_counts = |seq| Event {
        unit: UnitId::Rest,
        carried: Some(Carried {
            counts: None,
            ..carried(seq, (0, 0, 0))
        }),
        ..event(9, None, None, Outcome::RowsLoaded(1))
    };

    let refused = step(&mut ledger, &[without_counts(3)], 0);
    assert_eq!(
        refused.refused[0].reason,
        LedgerError::NoMaster(Box::new(key()))
    );
    let reason = refused.refused[0].reason.to_string();
    assert!(
        reason.contains("load_log_master has no row of it"),
        "{reason}"
    );
    assert_eq!((refused.masters, refused.details), (vec![], vec![]));
    assert!(ledger.is_empty());

    // A batch that is open has counts of its own, and one that was opened again has them too.
    confirmed_step(&mut ledger, &[failed(0, 3, 3)], 0);
    assert_eq!(
        step(&mut ledger, &[without_counts(3)], 1).details[0].failure,
        None
    );
    let mut ledger = Ledger::default();
    let with_counts = Event {
        carried: Some(carried(7, (10, 8, 2))),
        ..without_counts(7)
    };
    confirmed_step(&mut ledger, &[with_counts, without_counts(3)], 0);
    assert_eq!(
        counts(&step(&mut ledger, &[], 5_000)),
        [(Status::Success, 10, 10, 0)]
    );
}

#[test]
fn a_file_that_failed_in_a_closed_batch_gives_its_place_to_its_items() {
    let mut ledger = Ledger::default();
    let replayed = |item: usize| Event {
        unit: UnitId::File("/in/a.log".to_owned()),
        replayed_unit: true,
        carried: Some(carried(-1, (11, 10, 1))),
        ..loaded(0, item, 2)
    };
    let report = confirmed_step(&mut ledger, &[replayed(1), replayed(2)], 0);
    assert_eq!(
        (report.details[0].detail_seq, &report.details[0].failure),
        (-1, &None)
    );
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Success, 12, 12, 0)]
    );
}

#[test]
fn a_file_read_again_for_one_line_changes_that_line_only() {
    let mut ledger = Ledger::default();
    let replayed = |item: usize| Event {
        unit: UnitId::File("/in/a.log".to_owned()),
        replayed_unit: true,
        carried: Some(Carried {
            item: Some(2),
            ..carried(2, (3, 2, 1))
        }),
        ..loaded(0, item, 3)
    };
    let report = confirmed_step(&mut ledger, &[replayed(1), replayed(2), replayed(3)], 0);
    assert_eq!(report.details.len(), 1);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Success, 3, 3, 0)]
    );
}

#[test]
fn offsets_beyond_an_int_and_equal_ones_of_two_partitions_are_items_of_their_own() {
    let message = |partition, offset: u64| Event {
        unit: UnitId::Partition("calls".to_owned(), partition),
        is_fragment: false,
        ..event(0, Some(1), None, Outcome::Failed(offset, failure()))
    };
    let mut ledger = Ledger::default();
    let big = 1 << 40;
    let report = step(
        &mut ledger,
        &[message(0, big), message(1, big), message(0, big)],
        0,
    );
    let numbers: Vec<i32> = report
        .details
        .iter()
        .map(|detail| detail.detail_seq)
        .collect();
    assert_eq!(numbers, [1, 2, 1]);
    assert_eq!(
        counts(&step(&mut ledger, &[], 5_000)),
        [(Status::Fail, 2, 0, 2)]
    );
}

#[test]
fn more_items_than_an_int_can_number_are_refused_and_change_nothing() {
    let most = i32::MAX as usize / 2;
    let mut ledger = Ledger::default();
    let declared = |unit| event(unit, None, Some(most), Outcome::Declared);
    let report = step(&mut ledger, &[declared(0), declared(1), declared(2)], 0);
    let refused: Vec<usize> = report.refused.iter().map(|refused| refused.event).collect();
    assert_eq!(refused, [1, 2]);
    assert_eq!(counts(&report), [(Status::Running, most as u32, 0, 0)]);
    assert!(
        report.refused[0]
            .reason
            .to_string()
            .contains("more items than detail_seq can number")
    );
}

#[test]
fn a_unit_of_five_million_items_takes_little_state() {
    let mut ledger = Ledger::default();
    let count = 5_000_000;
    let mut events: Vec<Event> = vec![event(0, None, Some(count), Outcome::Declared)];
    // Every thousandth item fails; the others are reported one by one.
    events.extend((1..=count).map(|item| match item % 1_000 {
        0 => failed(0, item, count),
        _ => loaded(0, item, count),
    }));
    for chunk in events.chunks(1_000_000) {
        step(&mut ledger, chunk, 0);
    }
    assert_eq!(
        counts(&step(&mut ledger, &[], 5_000)),
        [(Status::Partial, 5_000_000, 4_995_000, 5_000)]
    );
    let state = ledger.to_state(StateLimits::default()).unwrap();
    let size: usize = state.iter().map(String::len).sum();
    assert!(size < 300_000, "{size} bytes");
    assert_eq!(Ledger::from_state(&state).unwrap(), ledger);
}

#[test]
fn ten_thousand_open_batches_fit_the_state_and_more_than_fit_are_refused() {
    let batch = |number: u32| {
        let mut event = loaded(number as usize, 1, 2);
        event.key.base_dts = format!("2026022514{:02}{:02}", number / 60 % 60, number % 60);
        event.key.table_name = format!("table_{}", number / 3600);
        event.unit = UnitId::Split(format!(
            "{:032x}",
            u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        ));
        event
    };
    let events: Vec<Event> = (0..10_000).map(batch).collect();
    let mut ledger = Ledger::default();
    step(&mut ledger, &events, 0);
    assert_eq!(ledger.len(), 10_000);
    let state = ledger.to_state(StateLimits::default()).unwrap();
    assert!(state.iter().all(|value| value.len() <= 60_000));
    assert_eq!(Ledger::from_state(&state).unwrap(), ledger);
    let limits = StateLimits {
        value: 60_000,
        total: 100_000,
        resting: 100_000,
    };
    let error = ledger.to_state(limits).unwrap_err().to_string();
    assert!(
        error.contains("10000 open batches") && error.contains("Settle Time"),
        "{error}"
    );
}

#[test]
fn a_state_that_no_ledger_wrote_is_refused() {
    let error = |state: &[&str]| Ledger::from_state(state).unwrap_err().to_string();
    assert!(error(&["!!"]).contains("damaged"));
    assert!(error(&["AwAA"]).contains("damaged"));
    assert!(error(&["AQAA"]).contains("form 1"));
    assert!(error(&["BwAA"]).contains("form 7"));
}

/// An event from the texts of a FlowFile's attributes.
fn read(fields: &[(&str, &str)]) -> Event {
    try_read(fields).unwrap()
}

fn try_read(fields: &[(&str, &str)]) -> Result<Event, EventError> {
    let key = [
        ("regn", "R01"),
        ("db_name", "bronze"),
        ("table_name", "t"),
        ("base_dts", "20260225143000"),
    ];
    let value = |name: &str| {
        let known = fields.iter().chain(&key).find(|(field, _)| *field == name);
        known.map_or("", |(_, value)| *value)
    };
    Event::from_fields(&FIELDS.map(value))
}

#[test]
fn a_line_of_a_file_is_an_item_whatever_the_sink_says_of_its_records() {
    let line = read(&[
        ("src_type", "NAS"),
        ("fragment.identifier", "f"),
        ("fragment.index", "7"),
        ("fragment.count", "9"),
        ("record.count", "1"),
        ("kafka_topic", "no message"),
    ]);
    assert_eq!(line.unit, UnitId::Split("f".to_owned()));
    assert_eq!(
        (line.outcome, line.count, line.is_fragment),
        (Outcome::Loaded(7), Some(9), true)
    );
    assert_eq!(line.location, Location::default());
}

#[test]
fn a_fragment_of_many_rows_is_a_unit_of_its_own() {
    let chunk = [
        ("src_type", "DB"),
        ("fragment.identifier", "f"),
        ("fragment.index", "2"),
        ("fragment.count", "5"),
        ("load.count", "1000"),
        ("record.count", "998"),
        ("file_name", "a uuid of NiFi"),
    ];
    let loaded = read(&chunk);
    assert_eq!(loaded.unit, UnitId::Split("f/2".to_owned()));
    assert_eq!(
        (&loaded.outcome, loaded.count),
        (&Outcome::RowsLoaded(998), Some(1000))
    );
    let reject = read(&[&chunk[..], &[("row_index", "5"), ("outcome", "failed")]].concat());
    assert_eq!(reject.unit, loaded.unit);
    assert_eq!(reject.outcome, Outcome::Failed(5, Failure::default()));
    assert!(!reject.is_fragment);
    assert_eq!(reject.location.file_name, None);
}

#[test]
fn rows_that_only_have_a_key_are_items_of_their_own() {
    let row = |key| {
        read(&[
            ("src_type", "DB"),
            ("record_key", key),
            ("outcome", "failed"),
        ])
    };
    let mut ledger = Ledger::default();
    let report = step(&mut ledger, &[row("id=1"), row("id=2"), row("id=1")], 0);
    let numbers: Vec<i32> = report
        .details
        .iter()
        .map(|detail| detail.detail_seq)
        .collect();
    assert_eq!(numbers, [1, 2, 1]);
}

#[test]
fn the_failure_of_a_whole_file_keeps_no_content() {
    let whole = read(&[
        ("src_type", "NAS"),
        ("file_path", "/in/"),
        ("file_name", "a.log"),
        ("line_content", "all of it"),
        ("error_message", "cannot be split"),
        ("error_processor", "SplitText"),
    ]);
    assert_eq!(whole.unit, UnitId::File("/in/a.log".to_owned()));
    let report = step(&mut Ledger::default(), &[whole], 0);
    let json = serde_json::to_value(&report.details[0]).unwrap();
    assert_eq!(json["line_content"], serde_json::Value::Null);
    assert_eq!(
        (&json["file_name"], &json["detail_seq"]),
        (&"a.log".into(), &(-1).into())
    );
}

#[test]
fn texts_that_no_cell_holds_are_cut_or_left_out() {
    let line = |content: &str, message: &str| {
        let event = read(&[
            ("src_type", "NAS"),
            ("file_name", "a.log"),
            ("fragment.identifier", "f"),
            ("fragment.index", "17"),
            ("fragment.count", "20"),
            ("line_content", content),
            ("error_message", message),
            ("error_processor", "ExtractText"),
        ]);
        let report = step(&mut Ledger::default(), &[event], 0);
        serde_json::to_value(&report.details[0]).unwrap()
    };
    // 21,845 Hangul syllables are 65,535 bytes.
    let fits = "가".repeat(21_845) + "\0";
    let kept = line(&fits, "x");
    assert_eq!(
        (kept["line_content"].as_str(), &kept["record_key"]),
        (Some(fits.as_str()), &().into())
    );
    let too_long = line(&"가".repeat(21_846), &"나".repeat(40_000));
    assert_eq!(too_long["line_content"], serde_json::Value::Null);
    assert_eq!(too_long["record_key"], "17");
    assert_eq!(too_long["error_message"].as_str().unwrap().len(), 65_535);
}

#[test]
fn a_file_that_is_still_not_there_keeps_the_index_of_the_item_it_is_read_for() {
    let of_file = |event: Event| Event {
        unit: UnitId::File("/in/a.log".to_owned()),
        ..event
    };
    // The ledger has dropped the batch, knows the file under another name, or under its own.
    for first in [
        vec![],
        vec![failed(0, 7, 9)],
        vec![of_file(failed(0, 7, 9)), of_file(loaded(0, 1, 9))],
    ] {
        let mut ledger = Ledger::default();
        confirmed_step(&mut ledger, &first, 0);
        let again = Event {
            unit: UnitId::File("/in/a.log".to_owned()),
            is_fragment: false,
            replayed_unit: true,
            carried: Some(Carried {
                item: Some(7),
                ..carried(7, (9, 8, 1))
            }),
            location: Location {
                file_name: Some("a.log".to_owned()),
                line_content: Some("all of the file".to_owned()),
                ..Location::default()
            },
            ..event(0, None, None, Outcome::UnitFailed(failure()))
        };
        let report = step(&mut ledger, &[again], 1);
        let json = serde_json::to_value(&report.details[0]).unwrap();
        assert_eq!(
            (&json["detail_seq"], &json["record_key"]),
            (&7.into(), &"7".into())
        );
        assert_eq!(
            (&json["status"], &json["line_content"]),
            (&"FAIL".into(), &().into())
        );
    }
}

#[test]
fn a_line_that_fails_again_keeps_its_content() {
    let mut ledger = Ledger::default();
    let again = Event {
        carried: Some(carried(7, (9, 8, 1))),
        location: Location {
            line_content: Some("the line".to_owned()),
            ..Location::default()
        },
        ..event(0, None, None, Outcome::UnitFailed(failure()))
    };
    let report = step(&mut ledger, &[again], 1);
    let json = serde_json::to_value(&report.details[0]).unwrap();
    assert_eq!(
        (&json["detail_seq"], &json["line_content"]),
        (&7.into(), &"the line".into())
    );
}

#[test]
fn rows_that_nothing_tells_from_the_next_ones_are_refused() {
    let bundle = [
        ("src_type", "KAFKA"),
        ("kafka_topic", "calls"),
        ("kafka_partition", "0"),
        ("record.count", "10"),
    ];
    let result_set = [("src_type", "DB"), ("record.count", "10")];
    for fields in [&bundle[..], &result_set[..]] {
        assert_eq!(try_read(fields), Err(EventError::Unit));
        let failed = [fields, &[("outcome", "failed")]].concat();
        assert_eq!(try_read(&failed), Err(EventError::Unit));
        let named = [fields, &[("load.unit", "a uuid")]].concat();
        assert_eq!(read(&named).unit, UnitId::File("a uuid".to_owned()));
    }
    let nothing = [
        ("src_type", "DB"),
        ("outcome", "declared"),
        ("record.count", "0"),
    ];
    assert_eq!(read(&nothing).outcome, Outcome::Declared);
}

/// A FlowFile of rejects whose line this is.
fn reject(line: &str, more: &[(&str, &str)]) -> Result<Event, EventError> {
    let file = [
        ("src_type", "NAS"),
        ("file_name", "a.log"),
        ("error_message", "2 rows"),
        ("error_processor", "ComputeRowHash"),
        ("outcome", "loaded"),
        ("reject", line),
    ];
    try_read(&[more, &file].concat())
}

#[test]
fn a_line_of_rejects_is_the_failure_of_its_row() {
    let line = r#" {"row_index" : 12, "line_number":13, "error_message":"a\"\\\/\b\f\n\r\t\u0000\ud83d\uDE00각",
        "line_content":"x\ty","other":[1,{"a":null}]} "#;
    let event = reject(line, &[]).unwrap();
    let failure = Failure {
        message: "a\"\\/\u{8}\u{c}\n\r\t\0😀각".to_owned(),
        processor: "ComputeRowHash".to_owned(),
    };
    assert_eq!(event.outcome, Outcome::Failed(12, failure));
    assert_eq!(event.location.line_content.as_deref(), Some("x\ty"));
    assert_eq!(event.unit, UnitId::File("/a.log".to_owned()));

    let bare = reject(line, &[("reject.content", "none")]).unwrap();
    assert_eq!(bare.location.line_content, None);
    for content in ["", r#","line_content":null"#] {
        let line = format!(r#"{{"row_index":1,"error_message":"x"{content}}}"#);
        assert_eq!(reject(&line, &[]).unwrap().location.line_content, None);
    }
}

#[test]
fn what_is_no_line_of_rejects_is_refused() {
    for line in [
        " ",
        "x",
        "[]",
        "{",
        "{}",
        r#"{"row_index":1}"#,
        r#"{"error_message":"x"}"#,
        r#"{"row_index":null,"error_message":"x"}"#,
        r#"{"row_index":1,"error_message":null}"#,
        r#"{"row_index":1,"error_message":"x""#,
        r#"{"row_index":1,"error_message":"x"}}"#,
        r#"{"row_index":1,"error_message":"x",}"#,
        r#"{"row_index":1,"error_message":"\u12g4"}"#,
        r#"{"row_index":"1","error_message":"x"}"#,
        r#"{"row_index":1,"error_message":"x","line_content":7}"#,
        r#"{"row_index":1,"row_index":2,"error_message":"x"}"#,
    ] {
        let refused = reject(line, &[]);
        assert!(
            matches!(refused, Err(EventError::Reject(_))),
            "{line}: {refused:?}"
        );
        assert!(!is_reject(line), "{line}");
    }
    assert!(is_reject(r#"{"row_index":0,"error_message":""}"#));
    for index in ["0", "-1", "1.5", "1073741824"] {
        let line = format!(r#"{{"row_index":{index},"error_message":"x"}}"#);
        let refused = reject(&line, &[]);
        assert!(
            matches!(&refused, Err(EventError::Number { field: "row_index", value, .. }) if value == index),
            "{refused:?}"
        );
    }
}

#[test]
fn the_counts_of_a_batch_come_together_or_not_at_all() {
    let replayed = [
        ("src_type", "NAS"),
        ("load.detail_seq", "7"),
        ("load.max_detail_seq", "9"),
        ("load.min_detail_seq", "-1"),
        ("load.src_count", "10"),
        ("load.load_count", "8"),
        ("load.error_count", "2"),
    ];
    let carried = |fields| try_read(fields).map(|event| event.carried.unwrap().counts);
    let counts = Counts {
        src: 10,
        load: 8,
        error: 2,
    };
    assert_eq!(carried(&replayed), Ok(Some(counts)));
    assert_eq!(carried(&replayed[..4]), Ok(None));
    assert_eq!(carried(&replayed[..6]), Err(EventError::Carried));
    assert_eq!(carried(&replayed[..3]), Err(EventError::Carried));
}

/// A file that goes through a record flow: ten rows, without a split.
fn file(fields: &[(&str, &str)]) -> Event {
    let file = [
        ("src_type", "NAS"),
        ("file_path", "/in"),
        ("file_name", "a.log"),
        ("load.count", "10"),
    ];
    read(&[&file[..], fields].concat())
}

fn rejected(row: &str) -> Event {
    file(&[("row_index", row), ("outcome", "failed")])
}

/// What such a file carries when it is read again, for the sake of a row or as a whole.
fn read_again(
    seq: &'static str,
    row: &'static str,
    error: &'static str,
) -> [(&'static str, &'static str); 9] {
    [
        ("load.unit", "/in/a.log"),
        ("load.detail_seq", seq),
        ("load.item", row),
        ("load.src_count", "10"),
        ("load.load_count", if error == "10" { "0" } else { "8" }),
        ("load.error_count", error),
        ("load.max_detail_seq", "4"),
        ("load.min_detail_seq", "-1"),
        ("record_key", if row.is_empty() { "10 rows" } else { row }),
    ]
}

#[test]
fn a_whole_file_that_failed_in_a_closed_batch_gives_its_place_to_all_its_rows() {
    let mut ledger = Ledger::default();
    let report = confirmed_step(&mut ledger, &[file(&[("outcome", "failed")])], 0);
    let detail = serde_json::to_value(&report.details[0]).unwrap();
    assert_eq!(detail["record_key"], "10 rows");
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Fail, 10, 0, 10)]
    );

    let again = |more: &[(&str, &str)]| file(&[&read_again("-1", "", "10")[..], more].concat());
    let mut ledger = Ledger::default();
    let loaded = again(&[("record.count", "10")]);
    confirmed_step(&mut ledger, &[loaded.clone(), loaded], 0);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Success, 10, 10, 0)]
    );

    let mut ledger = Ledger::default();
    let some = [
        again(&[("row_index", "3"), ("outcome", "failed")]),
        again(&[("record.count", "9"), ("rejects.count", "1")]),
    ];
    confirmed_step(&mut ledger, &some, 0);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], 5_000)),
        [(Status::Partial, 10, 9, 1)]
    );

    // What fails again keeps the number of its rows.
    let report = step(
        &mut Ledger::default(),
        &[again(&[("outcome", "failed")])],
        0,
    );
    let detail = serde_json::to_value(&report.details[0]).unwrap();
    assert_eq!(detail["record_key"], "10 rows");
    let report = step(
        &mut Ledger::default(),
        &[read(&[
            ("src_type", "DB"),
            ("load.unit", "u"),
            ("load.count", "10"),
            ("outcome", "failed"),
        ])],
        0,
    );
    let detail = serde_json::to_value(&report.details[0]).unwrap();
    assert!(detail["record_key"].is_null(), "it would be queried");
}

#[test]
fn a_file_read_again_for_one_line_begins_no_batch_before_that_line_comes() {
    let again = |more: &[(&str, &str)]| file(&[&read_again("3", "3", "2")[..], more].concat());
    let mut ledger = Ledger::default();
    let others = [
        again(&[("outcome", "declared")]),
        again(&[("row_index", "1"), ("outcome", "loaded")]),
    ];
    assert_eq!(step(&mut ledger, &others, 0), Report::default());
    assert!(ledger.is_empty());
}

#[test]
fn a_whole_file_read_again_for_one_row_changes_that_row_only() {
    let first = [
        file(&[("record.count", "8"), ("rejects.count", "2")]),
        rejected("3"),
        rejected("4"),
    ];
    let again = |more: &[(&str, &str)]| file(&[&read_again("3", "3", "2")[..], more].concat());
    let mut open = Ledger::default();
    confirmed_step(&mut open, &first, 0);
    confirmed_step(&mut open, &[], 5_000);
    for ledger in [&mut open, &mut Ledger::default()] {
        // One row is refused again, and nothing says which.
        let some = again(&[("record.count", "9"), ("rejects.count", "1")]);
        assert_eq!(step(ledger, &[some], 6_000).details, []);
        let report = confirmed_step(ledger, &[again(&[("record.count", "10")])], 6_000);
        assert_eq!(
            (report.details[0].detail_seq, &report.details[0].failure),
            (3, &None)
        );
        let last = step(ledger, &[], 6_000 + RULES.retention);
        assert_eq!(counts(&last), [(Status::Partial, 10, 9, 1)]);
    }
}

#[test]
fn rows_that_come_after_the_timeout_are_not_lost_any_more() {
    let late = file(&[("record.count", "8"), ("rejects.count", "2")]);
    let mut ledger = Ledger::default();
    confirmed_step(&mut ledger, &[rejected("3"), rejected("4")], 0);
    assert_eq!(
        counts(&confirmed_step(&mut ledger, &[], RULES.timeout)),
        [(Status::Fail, 10, 0, 10)]
    );
    let report = confirmed_step(&mut ledger, std::slice::from_ref(&late), RULES.timeout + 1);
    assert_eq!(counts(&report), [(Status::Partial, 10, 8, 2)]);
    let found: Vec<_> = report
        .details
        .iter()
        .map(|detail| detail.detail_seq)
        .collect();
    assert_eq!(found, [1, 2, 5, 6, 7, 8, 9, 10]);
    assert!(report.details.iter().all(|detail| detail.failure.is_none()));
    // Neither once more, nor a row of them that was run again meanwhile.
    let row = |outcome| Event {
        carried: Some(carried(5, (10, 0, 10))),
        ..file(&[("row_index", "5"), ("outcome", outcome)])
    };
    let again = [late, row("loaded"), row("failed")];
    confirmed_step(&mut ledger, &again, RULES.timeout + 2);
    assert_eq!(
        counts(&step(&mut ledger, &[], RULES.timeout + 2 + RULES.retention)),
        [(Status::Partial, 10, 8, 2)]
    );
}

/// Which batches are kept, and how much of the state the ledger takes up to there.
fn room(resting: usize) -> StateLimits {
    StateLimits {
        resting,
        ..StateLimits::default()
    }
}

/// An event of a FlowFile that NiFi has had since then.
fn entered(at: i64, event: Event) -> Event {
    Event {
        entered: Some(at),
        ..event
    }
}

#[test]
fn a_batch_with_failures_is_kept_until_they_are_loaded() {
    let mut ledger = Ledger::default();
    let first = [loaded(0, 1, 3), failed(0, 2, 3)];
    confirmed_step(&mut ledger, &first, 0);
    // The night passes, and one of the three lines is in a queue still.
    confirmed_step(&mut ledger, &[], RULES.timeout);
    let night = 100 * RULES.timeout;
    confirmed_step(&mut ledger, &[], night);
    assert_eq!(
        confirmed_step(&mut ledger, &[], night + 1),
        Report::default()
    );

    let late = [entered(0, loaded(0, 3, 3)), entered(0, loaded(0, 1, 3))];
    let report = confirmed_step(&mut ledger, &late, night + 2);
    assert_eq!(counts(&report), [(Status::Partial, 3, 2, 1)]);
    let report = confirmed_step(&mut ledger, &[loaded(0, 2, 3)], night + 3);
    assert_eq!(counts(&report), [(Status::Success, 3, 3, 0)]);
    confirmed_step(&mut ledger, &[], night + 3 + RULES.retention);
    assert!(!ledger.is_empty());
    confirmed_step(&mut ledger, &[], night + 3 + RULES.timeout);
    assert!(ledger.is_empty());
}

#[test]
fn a_file_that_waited_for_the_sink_joins_its_batch_and_a_second_run_begins_it_anew() {
    let mut first = Ledger::default();
    confirmed_step(&mut first, &[entered(0, loaded(0, 1, 1))], 0);
    confirmed_step(&mut first, &[], RULES.settle);
    confirmed_step(&mut first, &[], RULES.retention);
    let now = RULES.retention + 1;

    let mut ledger = first.clone();
    let late = [entered(0, loaded(1, 1, 1)), entered(0, loaded(0, 1, 1))];
    let report = confirmed_step(&mut ledger, &late, now);
    assert_eq!(counts(&report), [(Status::Running, 2, 2, 0)]);
    assert_eq!(report.masters[0].start_ts, 0);

    let mut ledger = first.clone();
    let second = [entered(now, loaded(1, 1, 3)), late[1].clone()];
    let report = confirmed_step(&mut ledger, &second, now);
    assert_eq!(counts(&report), [(Status::Running, 3, 1, 0)]);
    assert_eq!(report.refused.len(), 1, "of the first run");
}

#[test]
fn what_comes_for_a_batch_that_has_left_is_refused_and_a_second_run_of_it_is_not() {
    let mut ledger = Ledger::default();
    confirmed_step(
        &mut ledger,
        &[entered(0, loaded(0, 1, 2)), entered(0, loaded(0, 2, 2))],
        0,
    );
    confirmed_step(&mut ledger, &[], RULES.timeout);
    assert!(ledger.is_empty());
    let state = ledger.to_state(StateLimits::default()).unwrap();
    let mut ledger = Ledger::from_state(&state).unwrap();

    // Twice in a queue, failed or loaded, or a file of the batch that nobody has heard of.
    let late = [loaded(0, 1, 2), failed(0, 2, 2), loaded(7, 1, 2)].map(|event| entered(0, event));
    let report = confirmed_step(&mut ledger, &late, RULES.timeout + 1);
    assert_eq!((report.masters, report.details), (vec![], vec![]));
    let reasons: Vec<_> = report
        .refused
        .iter()
        .map(|refused| &refused.reason)
        .collect();
    assert_eq!(reasons, [&LedgerError::Late(Box::new(key())); 3]);
    assert!(
        reasons[0]
            .to_string()
            .contains("NAS R01 bronze.nas_copilot_call 20260225143000")
    );
    assert!(ledger.is_empty());

    // What a replay brings is loaded already.
    let replayed = Event {
        carried: Some(carried(2, (2, 1, 1))),
        ..entered(0, failed(0, 2, 2))
    };
    assert_eq!(
        step(&mut ledger, &[replayed], RULES.timeout + 2),
        Report::default()
    );

    let second = entered(RULES.timeout + 3, loaded(1, 1, 1));
    let report = step(&mut ledger, &[second, late[0].clone()], RULES.timeout + 4);
    assert_eq!(counts(&report), [(Status::Running, 1, 1, 0)]);
    assert_eq!(report.refused.len(), 1);
}

#[test]
fn batches_that_are_kept_for_their_failures_make_room_the_oldest_first() {
    let of = |number: usize| {
        let mut event = failed(number, 1, 2);
        event.key.base_dts = format!("202602251430{number:02}");
        event
    };
    let mut ledger = Ledger::default();
    for number in 0..9_usize {
        confirmed_step(&mut ledger, &[of(number)], number as i64);
    }
    let end = RULES.timeout + RULES.retention + 10;
    for now in [RULES.timeout, RULES.timeout + 10, end] {
        confirmed_step(&mut ledger, &[], now);
    }
    // One that is open still, and the older ones leave before the younger ones.
    confirmed_step(&mut ledger, &[entered(end, of(9))], end);
    assert_eq!(ledger.len(), 10);
    assert!(ledger.fit(end, room(100_000)).unwrap().1.is_empty());
    let size = |ledger: &Ledger| {
        let state = ledger.to_state(StateLimits::default()).unwrap();
        state.iter().map(String::len).sum::<usize>()
    };
    let less = size(&ledger) * 8 / 10;
    let (state, dropped) = ledger.fit(end, room(less)).unwrap();
    assert!(state.iter().map(String::len).sum::<usize>() <= less);
    assert_eq!(ledger.len(), 10 - dropped.len());
    let starts: Vec<_> = dropped.iter().map(|key| &key.base_dts[12..]).collect();
    assert_eq!(starts[..2], ["00", "01"], "{starts:?}");
    assert_eq!(ledger.fit(end, room(0)).unwrap().1.len(), 9 - dropped.len());
    assert_eq!(ledger.len(), 1, "the open one stays");

    // Late ones are refused, a replay of what the tables hold is not, and an old one is.
    let late = entered(0, of(3));
    let replay = |at| Event {
        unit: UnitId::Rest,
        carried: Some(carried(1, (2, 0, 2))),
        ..entered(
            at,
            Event {
                outcome: Outcome::RowsLoaded(1),
                ..of(3)
            },
        )
    };
    let events = [late, replay(end - 1), replay(end)];
    let report = confirmed_step(&mut ledger, &events, end + 1);
    let key = Box::new(events[0].key.clone());
    let reasons: Vec<_> = report
        .refused
        .iter()
        .map(|refused| &refused.reason)
        .collect();
    assert_eq!(
        reasons,
        [
            &LedgerError::Late(key.clone()),
            &LedgerError::OldCounts(key)
        ]
    );
    let last = step(&mut ledger, &[], end + 1 + RULES.settle);
    assert_eq!(counts(&last), [(Status::Partial, 2, 1, 1)]);
}

#[test]
fn the_ends_of_two_thousand_batches_are_remembered_in_little_state() {
    let of = |number: usize| {
        let mut event = loaded(number, 1, 1);
        event.key.base_dts = format!(
            "20260225{:02}{:02}{:02}",
            number / 3600,
            number / 60 % 60,
            number % 60
        );
        entered(0, event)
    };
    let mut ledger = Ledger::default();
    for chunk in 0..5_usize {
        let now = chunk as i64 * RULES.timeout;
        let events: Vec<Event> = (chunk * 500..chunk * 500 + 500).map(of).collect();
        confirmed_step(&mut ledger, &events, now);
        confirmed_step(&mut ledger, &[], now + RULES.timeout - 1);
        confirmed_step(&mut ledger, &[], now + RULES.timeout);
    }
    assert!(ledger.is_empty());
    let state = ledger.to_state(StateLimits::default()).unwrap();
    let size: usize = state.iter().map(String::len).sum();
    assert!(size < 40_000, "{size} bytes");
    let report = step(
        &mut ledger,
        &[of(499), of(500), of(2_499)],
        10 * RULES.timeout,
    );
    let refused: Vec<usize> = report.refused.iter().map(|refused| refused.event).collect();
    assert_eq!(refused, [1, 2], "the oldest are forgotten");
}

#[test]
fn a_batch_that_a_replay_opens_again_began_when_it_did() {
    let replayed = |start_ts| Event {
        unit: UnitId::Rest,
        carried: Some(Carried {
            start_ts,
            ..carried(2, (3, 1, 2))
        }),
        ..event(9, None, None, Outcome::RowsLoaded(1))
    };
    for (start_ts, began) in [(Some(7), 7), (None, 1_000)] {
        let mut ledger = Ledger::default();
        let report = step(&mut ledger, &[replayed(start_ts)], 1_000);
        let json = serde_json::to_value(&report.masters[0]).unwrap();
        assert_eq!(
            (&json["start_ts"], &json["created_dt"]),
            (&began.into(), &began.into())
        );
    }
    let text = [
        ("src_type", "NAS"),
        ("load.detail_seq", "7"),
        ("load.max_detail_seq", "9"),
        ("load.min_detail_seq", "-1"),
        ("load.start_ts", "1772029800000"),
    ];
    assert_eq!(
        read(&text).carried.unwrap().start_ts,
        Some(1_772_029_800_000)
    );
}

#[test]
fn a_row_that_never_came_is_found_in_its_file_again() {
    let mut ledger = Ledger::default();
    let line = Event {
        unit: UnitId::File("/in/a.log".to_owned()),
        ..loaded(0, 2, 3)
    };
    confirmed_step(&mut ledger, &[line], 0);
    let report = step(&mut ledger, &[], RULES.timeout);
    let json = serde_json::to_value(&report.details[0]).unwrap();
    assert_eq!(
        (&json["file_path"], &json["file_name"], &json["record_key"]),
        (&"/in".into(), &"a.log".into(), &"1".into())
    );
}

#[test]
fn a_whole_file_that_failed_after_its_rejects_is_not_counted_twice() {
    let first = [rejected("3"), rejected("4"), file(&[("outcome", "failed")])];
    let report = step(&mut Ledger::default(), &first, 0);
    let detail = serde_json::to_value(&report.details[2]).unwrap();
    assert_eq!(detail["record_key"], "8 of 10 rows");

    let again = |more: &[(&str, &str)]| {
        let more = [&[("record_key", "8 of 10 rows")], more].concat();
        file(&[&more[..], &read_again("-1", "", "10")[..]].concat())
    };
    // The log has dropped the batch. Its rejects are refused again, once more or not.
    let mut ledger = Ledger::default();
    let events = [
        again(&[("row_index", "3"), ("outcome", "failed")]),
        again(&[("record.count", "8"), ("rejects.count", "2")]),
        again(&[("record.count", "8"), ("rejects.count", "2")]),
    ];
    let report = confirmed_step(&mut ledger, &events, 0);
    assert_eq!(
        (
            report.details.len(),
            report.details[0].detail_seq,
            &report.details[0].failure
        ),
        (1, -1, &None)
    );
    let last = confirmed_step(&mut ledger, &[], 5_000);
    assert_eq!(counts(&last), [(Status::Partial, 10, 8, 2)]);

    // What fails again keeps the number of its rows.
    let report = step(
        &mut Ledger::default(),
        &[again(&[("outcome", "failed")])],
        0,
    );
    let detail = serde_json::to_value(&report.details[0]).unwrap();
    assert_eq!(detail["record_key"], "8 of 10 rows");
}

#[test]
fn many_rows_that_would_be_counted_as_one_are_refused() {
    let fragment = [
        ("src_type", "DB"),
        ("fragment.identifier", "f"),
        ("fragment.index", "2"),
        ("fragment.count", "5"),
        ("record.count", "1000"),
    ];
    let message = [
        ("src_type", "KAFKA"),
        ("kafka_topic", "calls"),
        ("kafka_partition", "0"),
        ("kafka_offset", "7"),
        ("record.count", "1000"),
    ];
    for fields in [&fragment[..], &message[..]] {
        for outcome in ["loaded", "failed", ""] {
            let fields = [fields, &[("outcome", outcome)]].concat();
            let refused = try_read(&fields).unwrap_err();
            assert_eq!(refused, EventError::Rows(1000));
            assert!(refused.to_string().contains("set load.count"), "{refused}");
        }
    }
    // The original of a second split, and one row of each.
    let original = [&fragment[..], &[("outcome", "declared")]].concat();
    assert_eq!(read(&original).outcome, Outcome::Declared);
    assert_eq!(
        read(&[&[("record.count", "1")], &fragment[..]].concat()).outcome,
        Outcome::Loaded(2)
    );
    assert_eq!(
        read(&[&[("load.count", "1000")], &fragment[..]].concat()).outcome,
        Outcome::RowsLoaded(1000)
    );
}

#[test]
fn a_claim_counts_its_retry_so_that_what_never_comes_back_is_exhausted() {
    let replay = |retry_count: &str, line: &str| {
        let columns = [
            ("src_type", "NAS"),
            ("regn", "R01"),
            ("db_name", "bronze"),
            ("table_name", "t"),
            ("base_dts", "20260225143000"),
            ("detail_seq", "7"),
            ("retry_count", retry_count),
            ("line_content", line),
        ];
        let value = |name: &str| {
            columns
                .iter()
                .find(|(column, _)| *column == name)
                .map_or("", |(_, value)| *value)
        };
        Replay::from_fields(&REPLAY_FIELDS.map(value), 3, 9)
    };
    let claim = |claim: &Claim| serde_json::to_value(claim).unwrap()["retry_count"].clone();
    assert_eq!(claim(&replay("2", "a line").unwrap().claim), 3);
    assert_eq!(replay("3", "a line").unwrap().route, Route::Exhausted);
    // Nothing says where it is: it does not come back for ever either.
    assert_eq!(claim(replay("0", "").unwrap_err().claim().unwrap()), 1);
    assert!(replay("x", "").unwrap_err().claim().is_none());
}

#[test]
fn of_a_large_batch_that_went_silent_all_is_counted_and_the_first_are_named() {
    let mut ledger = Ledger::default();
    let declared = [0, 1].map(|unit| event(unit, None, Some(8_000), Outcome::Declared));
    confirmed_step(&mut ledger, &declared, 0);
    for _ in 0..2 {
        let report = step(&mut ledger, &[], RULES.timeout);
        assert_eq!(report.details.len(), 10_000);
        assert_eq!(counts(&report), [(Status::Fail, 16_000, 0, 16_000)]);
    }
}

#[test]
fn a_day_of_messages_that_all_load_takes_little_state() {
    let mut ledger = Ledger::default();
    for minute in 0..1_440_u64 {
        let message = |offset| {
            let mut event = event(0, Some(1), None, Outcome::Loaded(offset));
            event.unit = UnitId::Partition("calls".to_owned(), 3);
            event.is_fragment = false;
            event.key.base_dts = format!("20260225{:02}{:02}00", minute / 60, minute % 60);
            event
        };
        let offsets = 7_000_000_000 + minute * 1_000..7_000_000_000 + (minute + 1) * 1_000;
        let messages: Vec<Event> = offsets.map(message).collect();
        step(&mut ledger, &messages, 0);
    }
    let state = ledger.to_state(StateLimits::default()).unwrap();
    let size: usize = state.iter().map(String::len).sum();
    assert!(size < 20_000, "{size} bytes");
    assert_eq!(Ledger::from_state(&state).unwrap(), ledger);
}

#[test]
fn batches_that_are_loaded_make_room_before_those_with_failures_but_not_at_once() {
    let day = Rules {
        retention: 86_400_000,
        ..RULES
    };
    let of = |number: usize| {
        let mut event = if number < 3 {
            failed(number, 1, 1)
        } else {
            loaded(number, 1, 1)
        };
        event.key.base_dts = format!("202602251430{number:02}");
        event
    };
    let mut ledger = Ledger::default();
    let confirmed = |ledger: &mut Ledger, events: &[Event], now| {
        let report = ledger.step(events, now, &day);
        ledger.confirm(&report.confirmations, now, &day);
    };
    let all: Vec<Event> = (0..6).map(of).collect();
    confirmed(&mut ledger, &all, 0);
    confirmed(&mut ledger, &[], 5_000);
    assert!(
        ledger.fit(599_999, room(0)).unwrap().1.is_empty(),
        "what comes late finds them"
    );

    let (_, dropped) = ledger.fit(600_000, room(0)).unwrap();
    let starts: Vec<_> = dropped.iter().map(|key| &key.base_dts[12..]).collect();
    assert_eq!(starts, ["03", "04", "05"]);
    assert_eq!(
        ledger.len(),
        3,
        "the failures were not kept for their own sake yet"
    );
    let late = entered(0, of(4));
    assert_eq!(ledger.step(&[late], 600_001, &day).refused.len(), 1);

    confirmed(&mut ledger, &[], day.retention);
    assert_eq!(ledger.fit(day.retention, room(0)).unwrap().1.len(), 3);
}
