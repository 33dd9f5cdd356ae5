//! Where the groups of a pattern match.
//!
//! Most patterns of lines begin with `^` and leave no choice at any byte: these are searched in one
//! pass with a one-pass DFA, twice as fast as what finds groups otherwise. Such a DFA keeps sixteen
//! groups apart at the most. The last of them is then the rest of the pattern, and where it begins
//! the DFA of the rest goes on.

use std::slice;

use regex::{CaptureLocations, Regex};
use regex_automata::dfa::onepass;
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{self, Hir, HirKind, Look};

/// What a one-pass DFA keeps apart.
const GROUPS_A_PASS: usize = 16;
/// The most memory of a DFA; a pattern that needs more is searched otherwise.
const PASS_BYTES: usize = 1 << 20;

/// The passes that find all groups.
#[derive(Clone, Debug)]
pub(super) struct Passes(Vec<Pass>);

#[derive(Clone, Debug)]
struct Pass {
    dfa: onepass::DFA,
    /// How many groups it finds, beside the one of the rest.
    groups: usize,
}

impl Passes {
    /// The passes for the groups of these indices, or none where the pattern is no one-pass one.
    pub(super) fn new(pattern: &str, groups: &[usize]) -> Option<Self> {
        let pattern = regex_syntax::parse(pattern).ok()?;
        let begins = pattern.properties().look_set_prefix().contains(Look::Start);
        if !begins || groups.is_empty() {
            return None;
        }
        let mut parts = match pattern.kind() {
            HirKind::Concat(parts) => parts.as_slice(),
            _ => slice::from_ref(&pattern),
        };
        let mut groups = groups;
        let mut passes = Vec::new();
        while groups.len() > GROUPS_A_PASS {
            let (mut taken, mut found) = (0, 0);
            for part in parts {
                let more = with_groups(part, groups)
                    .properties()
                    .explicit_captures_len();
                if found + more >= GROUPS_A_PASS {
                    break;
                }
                taken += 1;
                found += more;
            }
            if found == 0 {
                return None;
            }
            let (these, rest) = parts.split_at(taken);
            let rest_alone = rest.iter().map(|part| with_groups(part, &[])).collect();
            let mut these: Vec<Hir> = these.iter().map(|part| with_groups(part, groups)).collect();
            these.push(Hir::capture(hir::Capture {
                index: 1 + found as u32,
                name: None,
                sub: Box::new(Hir::concat(rest_alone)),
            }));
            passes.push(Pass::new(Hir::concat(these), found)?);
            (parts, groups) = (rest, &groups[found..]);
        }
        let last = parts.iter().map(|part| with_groups(part, groups)).collect();
        passes.push(Pass::new(Hir::concat(last), groups.len())?);
        Some(Self(passes))
    }
}

impl Pass {
    fn new(pattern: Hir, groups: usize) -> Option<Self> {
        let nfa = thompson::Compiler::new()
            .configure(thompson::Config::new().nfa_size_limit(Some(PASS_BYTES)))
            .build_from_hir(&pattern)
            .ok()?;
        let dfa = onepass::Builder::new()
            .configure(onepass::Config::new().size_limit(Some(PASS_BYTES)))
            .build_from_nfa(nfa)
            .ok()?;
        Some(Self { dfa, groups })
    }
}

/// The pattern with only these groups, numbered from 1 on; the others match and are forgotten.
fn with_groups(pattern: &Hir, groups: &[usize]) -> Hir {
    let inner = |pattern: &Hir| with_groups(pattern, groups);
    match pattern.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {
            pattern.clone()
        }
        HirKind::Repetition(repetition) => Hir::repetition(repetition.with(inner(&repetition.sub))),
        HirKind::Capture(group) => {
            let sub = inner(&group.sub);
            match groups
                .iter()
                .position(|index| *index == group.index as usize)
            {
                None => sub,
                Some(place) => Hir::capture(hir::Capture {
                    index: 1 + place as u32,
                    name: group.name.clone(),
                    sub: Box::new(sub),
                }),
            }
        }
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(inner).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(inner).collect()),
    }
}

/// A way to find the groups of these indices, with its memory.
pub(super) struct Finder<'p> {
    search: Search<'p>,
    groups: Vec<usize>,
    /// Where each group matched; nothing where it took no part.
    places: Vec<Option<(usize, usize)>>,
}

type Slots = Vec<Option<NonMaxUsize>>;

enum Search<'p> {
    Passes(Vec<(&'p Pass, onepass::Cache)>, Slots),
    Regex(&'p Regex, CaptureLocations),
}

impl<'p> Finder<'p> {
    pub(super) fn new(regex: &'p Regex, passes: Option<&'p Passes>, groups: Vec<usize>) -> Self {
        let search = match passes {
            Some(Passes(passes)) => Search::Passes(
                passes
                    .iter()
                    .map(|pass| (pass, pass.dfa.create_cache()))
                    .collect(),
                Vec::new(),
            ),
            None => Search::Regex(regex, regex.capture_locations()),
        };
        Self {
            search,
            groups,
            places: Vec::new(),
        }
    }

    /// Finds the groups of the first match, if there is one.
    pub(super) fn find(&mut self, text: &str) -> bool {
        self.places.clear();
        match &mut self.search {
            Search::Regex(regex, locations) => {
                let found = regex.captures_read(locations, text).is_some();
                let places = self.groups.iter().map(|index| locations.get(*index));
                self.places.extend(places);
                found
            }
            Search::Passes(passes, slots) => {
                let mut start = 0;
                passes.iter_mut().all(|(pass, cache)| {
                    let Pass { dfa, groups } = pass;
                    slots.clear();
                    slots.resize(dfa.get_nfa().group_info().slot_len(), None);
                    let input = Input::new(text).range(start..).anchored(Anchored::Yes);
                    let found = matches!(dfa.try_search_slots(cache, &input, slots), Ok(Some(_)));
                    // The first two are of the whole match, the last two of the rest.
                    let mut places = slots[2..]
                        .chunks_exact(2)
                        .map(|slot| Some((slot[0]?.get(), slot[1]?.get())));
                    self.places.extend(places.by_ref().take(*groups));
                    start = places.next().flatten().map_or(start, |(start, _)| start);
                    found
                })
            }
        }
    }

    /// Where the group of this place among the indices matched in the last text.
    pub(super) fn place(&self, group: usize) -> Option<(usize, usize)> {
        self.places[group]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(regex: &Regex) -> Vec<usize> {
        let names = regex.capture_names().enumerate();
        names
            .filter_map(|(index, name)| name.map(|_| index))
            .collect()
    }

    /// Many groups between tabs.
    fn tabs(count: usize) -> String {
        let groups: Vec<_> = (0..count)
            .map(|group| format!("(?<g{group}>[^\t]*)"))
            .collect();
        format!("^{}$", groups.join("\t"))
    }

    fn check(pattern: &str, text: &str) {
        let regex = Regex::new(pattern).unwrap();
        let groups = named(&regex);
        let passes = Passes::new(pattern, &groups);
        assert!(passes.is_some(), "{pattern}");
        let mut fast = Finder::new(&regex, passes.as_ref(), groups.clone());
        let mut plain = Finder::new(&regex, None, groups.clone());
        // What was found before is no matter.
        fast.find("before");
        let found = fast.find(text);
        assert_eq!(found, plain.find(text), "{pattern} {text:?}");
        for group in 0..if found { groups.len() } else { 0 } {
            assert_eq!(
                fast.place(group),
                plain.place(group),
                "{pattern} {text:?} {group}"
            );
        }
    }

    #[test]
    fn a_pattern_that_leaves_a_choice_or_begins_anywhere_is_no_one_pass_one() {
        for pattern in ["(?<a>x)", "^(?<a>.*)x", "^(?<a>x*)(?<b>x*)", "(?m)^(?<a>x)"] {
            let groups = named(&Regex::new(pattern).unwrap());
            assert!(Passes::new(pattern, &groups).is_none(), "{pattern}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn one_pass_finds_the_groups_that_a_regex_does(text in "[ab\t가|]{0,12}", count in 1_usize..40) {
            check(&tabs(count), &text);
            check(&tabs(3), &text);
            check("^(?<a>a|b)*(?<b>\t(?<c>가)?)?(x|(?<d>[|]))", &text);
            check("^(?<a>a?)(\t|(?<b>b+))(?<c>[가|]*)(?<d>a?)", &text);
        }

        #[test]
        fn also_more_than_a_pass_keeps_apart(
            cells in prop::collection::vec("[a-c가]{0,3}", 15..36), count in 15_usize..36,
        ) {
            check(&tabs(count), &cells.join("\t"));
            check(&tabs(cells.len()), &cells.join("\t"));
            // The rest begins in the middle of a cell, and some groups take no part.
            let pairs = (0..20).map(|pair| format!("(?<a{pair}>a)?(?<b{pair}>[^a\t]*)\t"));
            check(&format!("^{}?", pairs.collect::<String>()), &(cells.join("\t") + "\t"));
        }
    }
}
