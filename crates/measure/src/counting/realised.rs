//! Counts of many realisations in one pass, where that costs less than to count them one by one.
//!
//! Entry: [`Counter::decide_realised`].

use albireo::counts::take_realisations;
use albireo::engine::{AnyEngine, PreparedJob};
use albireo::error::EngineError;
use albireo::{Counts, PairJob};
use anyhow::Result;
use serde_json::json;

use super::Counter;
use crate::counted::Counted;
use crate::named_count::NamedCount;
use crate::realised::{AtOnce, Whole, pays};
use crate::shared::Key;
use crate::watch::Bar;
use crate::worker::Worker;

impl<'a> Counter<'a> {
    /// Decides who makes all of `counts`, which are of one of the realisations of `together`, and has all of these counted in one pass where that
    /// pays.
    pub(crate) fn decide_realised(
        &mut self,
        counts: &[NamedCount<'a>],
        together: &AtOnce<'a>,
    ) -> Result<()> {
        let kept = counts.iter().map(|count| self.is_kept(count));
        let kept: Vec<bool> = kept.collect::<Result<_>>()?;
        let open = counts.iter().zip(kept).filter(|(_, kept)| !kept);
        let open: Vec<NamedCount<'a>> = open.map(|(count, _)| count.clone()).collect();
        let of_all = |count: &NamedCount<'a>, on_gpus: bool| {
            let mut all = together.counts.iter();
            all.find(|all| all.name == count.name && pays(all, together.number, on_gpus))
        };
        let decided_on = |count| of_all(count, false).unwrap_or(count).clone();
        let jobs: Vec<NamedCount<'a>> = open.iter().map(decided_on).collect();
        self.decide(&jobs)?;
        let engine = self.engine.as_ref().map(Worker::engine);
        let on_gpus = !matches!(engine, Some(AnyEngine::Cpu(_) | AnyEngine::Naive(_)));
        let in_one_pass = open.iter().filter_map(|count| of_all(count, on_gpus));
        let in_one_pass: Vec<_> = in_one_pass.collect();
        if in_one_pass.is_empty() {
            return self.decide(&open);
        }
        for count in in_one_pass {
            self.count_together(count, together.number)?;
        }
        Ok(())
    }

    /// Makes a count of one realisation between samples in these roles.
    pub(crate) fn count_realised(
        &mut self,
        asked: NamedCount<'a>,
        roles: [&str; 2],
        whole: &'a Whole,
    ) -> Result<Counts> {
        let asked = whole.scaled(roles, asked);
        let counts = whole.count(roles, &asked).into_iter().collect();
        let number = whole.number;
        self.decide_realised(std::slice::from_ref(&asked), &AtOnce { counts, number })?;
        self.count(&asked)
    }

    /// Whether a count has been made for another result of the command.
    fn is_kept(&self, asked: &NamedCount<'a>) -> Result<bool> {
        let Some(shared) = &self.shared else {
            return Ok(false);
        };
        let key = Key::new(&self.job(asked.pairs)?, self.what(asked), self.exactness());
        Ok([&shared.of_sets, &shared.counts]
            .iter()
            .any(|made| made.find(&key).is_some()))
    }

    /// Counts all realisations of particles in one pass, and keeps the counts for the measurements of them.
    fn count_together(&mut self, asked: &NamedCount<'a>, number: usize) -> Result<()> {
        let mut all = asked.clone();
        all.what = all.what.by_realisation(number);
        let what = self.what(&all);
        let mut each = Vec::new();
        let (alone, exactness) = (self.what(asked), self.exactness());
        let count = |engine: &Worker, job: &PreparedJob<'_>, bar: &Bar| {
            let take = |job: &PairJob<'_>, counts: Counts| {
                each.push((Key::new(job, alone.clone(), exactness), counts));
            };
            let report = take_realisations(engine, job, what, bar, take)?;
            let first = each.first().map(|(_, counts)| counts.clone());
            Ok((first.ok_or(EngineError::Interrupted)?, report))
        };
        self.made(&all, count)?;
        let engine = self.done.pop().and_then(|counted| counted.engine);
        let Some(shared) = self.shared.clone() else {
            return Ok(());
        };
        for (key, counts) in each {
            let one_pass = ("counted_with", json!("all realisations"));
            let counted = Counted::new(asked.name, &counts, engine.clone(), one_pass);
            shared.of_sets.keep_all(key, (counts, counted));
        }
        Ok(())
    }
}
