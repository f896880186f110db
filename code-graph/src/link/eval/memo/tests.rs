//! How often what is cut short is worked out.

use super::super::super::value::{FileId, SymRef};
use super::super::super::{SourceFile, Surface, World};
use super::super::{DEPTH, Eval};
use super::Cuts;
use crate::extract::extract;
use crate::facts::{Facts, SymbolId};
use fourfold_syntax::{Language, ParseLimits, Parser};
use std::path::Path;
use std::sync::Arc;

/// Modules with one class each, which inherits from that of the module before.
struct Chain {
    files: Vec<SourceFile>,
    facts: Vec<Arc<Facts>>,
}

impl Chain {
    fn of(len: usize) -> Chain {
        let mut chain = Chain {
            files: Vec::new(),
            facts: Vec::new(),
        };
        let mut parser = Parser::new(ParseLimits::default());
        for at in 0..len {
            let path = format!("m{at:04}.py");
            let own = format!(
                "    def f{at}(self):\n        return self.g{at}()\n    \
                     def g{at}(self):\n        return self.f{at}() or self.f0()\n"
            );
            let text = match at.checked_sub(1) {
                Some(of) => format!("from m{of:04} import C{of}\nclass C{at}(C{of}):\n{own}"),
                None => format!("class C{at}:\n{own}"),
            };
            let language = Language::of_path(Path::new(&path)).unwrap();
            let tree = parser.parse(language, &text).unwrap();
            let facts = extract(language, &text, &tree).unwrap();
            chain.files.push(SourceFile {
                path,
                language,
                surface: Arc::new(Surface::of(&facts)),
            });
            chain.facts.push(Arc::new(facts));
        }
        chain
    }

    fn world(&self) -> World<'_> {
        let loader = |file: usize| self.facts.get(file).cloned();
        World::new(self.files.clone(), Vec::new(), Box::new(loader))
    }

    /// The last class.
    fn last(&self) -> SymRef {
        let file = self.files.len() - 1;
        let symbols = &self.facts[file].symbols;
        let class = symbols.iter().position(|symbol| symbol.kind.is_type());
        SymRef {
            file: FileId(file as u32),
            symbol: SymbolId(class.unwrap() as u32),
        }
    }
}

#[test]
fn a_chain_beyond_the_depth_limit_is_gone_through_once_for_all_names() {
    let chain = Chain::of(3 * DEPTH);
    let world = chain.world();
    let class = chain.last();
    let mut eval = Eval::new(&world);
    (eval.file, eval.here) = (class.file, class.file);
    let names = 100;
    for name in 0..names {
        eval.refuel();
        let name = world.atom(&format!("absent{name}"));
        assert!(eval.find(class, name).is_empty());
    }
    let worked_out = eval.cuts.worked_out();
    // The chain was cut short: else there is nothing to work out again.
    assert!(worked_out > DEPTH / 2, "{worked_out}");
    assert!(worked_out <= DEPTH + names, "{worked_out}");
}

#[test]
fn what_was_cut_short_before_is_what_is_worked_out_anew() {
    let chain = Chain::of(2 * DEPTH);
    let world = chain.world();
    let class = chain.last();
    let mut known = Eval::new(&world);
    (known.file, known.here) = (class.file, class.file);
    for name in ["f159", "g159", "f0", "g100", "f81", "g80", "f79", "absent"] {
        let name = world.atom(name);
        for _ in 0..2 {
            let mut anew = Eval::new(&world);
            (anew.file, anew.here) = (class.file, class.file);
            known.refuel();
            known.alone.clear();
            assert_eq!(known.find(class, name), anew.find(class, name));
            assert_eq!(known.own(class, name), anew.own(class, name));
            anew.cuts = Cuts::default();
            anew.alone.clear();
            anew.refuel();
            known.refuel();
            assert_eq!(known.lineage(class), anew.lineage(class));
        }
    }
}
