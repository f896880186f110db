//! What is searched for, in each language: the request compiled once per language, when one of its
//! files is met.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fourfold_pattern_match::{
    Condition, Found, NodeQuery, Options, Pattern, Rung, Search, Template, Unparsable, Variable,
};
use fourfold_syntax::{FileSummary, Language, Tree, nearest};

use crate::echo::shortened;
use crate::error::{Error, Obstacle, Unusable};
use crate::request::Shape;

/// A request in one language.
#[derive(Debug)]
pub(crate) enum Searcher {
    Pattern(Box<Search>),
    Query(NodeQuery),
}

impl Searcher {
    /// Whether a text may hold a match: a look at its bytes.
    pub(crate) fn may_match(&self, text: &[u8]) -> bool {
        match self {
            Searcher::Pattern(search) => search.may_match(text),
            Searcher::Query(_) => true,
        }
    }

    /// Whether a file may hold a match: a look at its bytes and at a summary of it.
    pub(crate) fn may_match_file(&self, text: &[u8], summary: &FileSummary) -> bool {
        match self {
            Searcher::Pattern(search) => search.may_match_file(text, summary),
            Searcher::Query(_) => true,
        }
    }

    pub(crate) fn run(&self, text: &str, tree: &Tree) -> Found {
        match self {
            Searcher::Pattern(search) => search.run(text, tree),
            Searcher::Query(query) => query.search(text, tree),
        }
    }

    pub(crate) fn variables(&self) -> &[Variable] {
        match self {
            Searcher::Pattern(search) => search.pattern().variables(),
            Searcher::Query(query) => query.variables(),
        }
    }

    pub(crate) fn pattern(&self) -> Option<&Pattern> {
        match self {
            Searcher::Pattern(search) => Some(search.pattern()),
            Searcher::Query(_) => None,
        }
    }

    /// How many readings there are to count by.
    pub(crate) fn readings(&self) -> usize {
        self.pattern().map_or(1, |pattern| pattern.readings().len())
    }

    /// The name of a reading's rung; a query has none.
    pub(crate) fn rung(&self, reading: usize) -> Option<&'static str> {
        let reading = self.pattern()?.readings().get(reading)?;
        Some(reading.rung().name())
    }

    /// The grammar's name of what the pattern is in a reading.
    pub(crate) fn kind(&self, reading: usize) -> &'static str {
        self.pattern()
            .and_then(|pattern| pattern.readings().get(reading))
            .map_or("query", |reading| reading.kind())
    }
}

/// What is ready for one language.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) searcher: Searcher,
    /// For a rewrite.
    pub(crate) template: Option<Template>,
}

type Slot = OnceLock<Result<Ready, Obstacle>>;

/// A request, compiled for a language when it is first asked for.
#[derive(Debug)]
pub(crate) struct Plan {
    shape: Shape,
    template: Option<String>,
    rung: Option<Rung>,
    /// The languages asked for; empty means whichever are met.
    languages: Vec<Language>,
    slots: BTreeMap<Language, Slot>,
}

impl Plan {
    /// Checks what does not depend on the language.
    pub(crate) fn new(shape: &Shape, template: Option<&str>) -> Result<Plan, Error> {
        check(shape, template.is_some())?;
        let rung = match &shape.as_rung {
            Some(name) => Some(rung(name)?),
            None => None,
        };
        let mut languages = Vec::new();
        for name in &shape.languages {
            let language = Language::named(name)?;
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
        Ok(Plan {
            shape: shape.clone(),
            template: template.map(str::to_owned),
            rung,
            languages,
            slots: Language::all()
                .map(|language| (language, Slot::new()))
                .collect(),
        })
    }

    /// The languages asked for; empty means whichever are met.
    pub(crate) fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// Whether files of a language are asked for.
    pub(crate) fn wants(&self, language: Language) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }

    /// What is ready for a language, compiled now if it is not yet; `None` when it cannot be used.
    pub(crate) fn ready(&self, language: Language) -> Option<&Ready> {
        self.slots
            .get(&language)?
            .get_or_init(|| self.compile(language))
            .as_ref()
            .ok()
    }

    /// Each language that was compiled for, with the outcome.
    pub(crate) fn compiled(&self) -> impl Iterator<Item = (Language, Result<&Ready, &Obstacle>)> {
        self.slots
            .iter()
            .filter_map(|(language, slot)| Some((*language, slot.get()?.as_ref())))
    }

    /// Refuses a template that does not fit, and a request that is usable in no language at all.
    /// `files` says how many files each language has: what matters most is explained first.
    pub(crate) fn check(&self, files: &BTreeMap<Language, usize>) -> Result<(), Error> {
        let mut obstacles = Vec::new();
        let mut usable = false;
        // Nearly anything is a text of YAML, and binds nothing there: that is no reason to refuse what
        // is meant for another language.
        let mut in_data = None;
        for (language, outcome) in self.compiled() {
            match outcome {
                Ok(_) => usable = true,
                Err(Obstacle::Template(source)) => {
                    let unfit = Error::Template {
                        language,
                        source: source.clone(),
                    };
                    match DATA.contains(&language.id()) {
                        true => in_data = in_data.or(Some(unfit)),
                        false => return Err(unfit),
                    }
                }
                Err(obstacle) => obstacles.push(Unusable {
                    language,
                    obstacle: obstacle.clone(),
                }),
            }
        }
        match in_data {
            _ if usable => Ok(()),
            Some(unfit) if obstacles.is_empty() => Err(unfit),
            None if obstacles.is_empty() => Ok(()),
            _ => Err(unusable(obstacles, files, Vec::new())),
        }
    }

    /// Refuses a request that found nothing, and that is no code in languages which have more files
    /// than those in which it could be searched: what was meant was then not looked for. That some
    /// other grammar accepts it (nearly anything is a selector of CSS, or a text of YAML) does not
    /// make it nothing found. Languages of data and markup refuse all code, so that they do says
    /// nothing.
    pub(crate) fn check_nothing_found(
        &self,
        files: &BTreeMap<Language, usize>,
    ) -> Result<(), Error> {
        let number = |language| files.get(&language).copied().unwrap_or_default();
        let (mut searched, mut searched_files) = (Vec::new(), 0);
        let (mut obstacles, mut refused_files) = (Vec::new(), 0);
        for (language, outcome) in self.compiled() {
            match outcome {
                Ok(_) => {
                    searched.push(language);
                    searched_files += number(language);
                }
                Err(obstacle) if obstacle.is_no_code() && !DATA.contains(&language.id()) => {
                    refused_files += number(language);
                    obstacles.push(Unusable {
                        language,
                        obstacle: obstacle.clone(),
                    });
                }
                Err(_) => {}
            }
        }
        if refused_files <= searched_files {
            return Ok(());
        }
        searched.sort_by_key(|language| std::cmp::Reverse(number(*language)));
        Err(unusable(obstacles, files, searched))
    }

    /// What was probably meant by a pattern that could be searched for but was found nowhere.
    pub(crate) fn likely_slip(&self) -> Option<&'static str> {
        let pattern = self.shape.pattern.as_deref()?;
        self.compiled()
            .filter(|(_, outcome)| outcome.is_ok())
            .find_map(|(language, _)| Unparsable::likely_slip(language, pattern))
    }

    fn compile(&self, language: Language) -> Result<Ready, Obstacle> {
        let _span = tracing::debug_span!("compile", language = language.id()).entered();
        if let Some(query) = &self.shape.query {
            let query = NodeQuery::compile(language, query)
                .map_err(|error| Obstacle::Query(error.to_string()))?;
            return Ok(Ready {
                searcher: Searcher::Query(query),
                template: None,
            });
        }
        let mut options = Options::default();
        options.strict = self.shape.strict;
        let text = self.shape.pattern.as_deref().unwrap_or_default();
        let constraint = |option, text: &String| {
            Pattern::compile(language, text, &options)
                .map_err(|source| Obstacle::Constraint { option, source })
        };
        let pattern = {
            let mut options = options.clone();
            options.rung = self.rung;
            Pattern::compile(language, text, &options).map_err(Obstacle::Pattern)?
        };
        let template = match &self.template {
            Some(text) => Some(Template::parse(text, &pattern).map_err(Obstacle::Template)?),
            None => None,
        };
        let conditions = self
            .shape
            .conditions
            .iter()
            .map(|text| Condition::parse(text, &pattern).map_err(|error| other(&error, text)));
        let conditions: Vec<Condition> = conditions.collect::<Result<_, _>>()?;
        let mut search = Search::new(pattern);
        for condition in conditions {
            search = search.condition(condition);
        }
        for text in &self.shape.inside {
            search = search.inside(constraint("inside", text)?);
        }
        for text in &self.shape.not_inside {
            search = search.not_inside(constraint("not_inside", text)?);
        }
        for text in &self.shape.has {
            search = search.has(constraint("has", text)?);
        }
        for text in &self.shape.not_has {
            search = search.not_has(constraint("not_has", text)?);
        }
        if let Some(kind) = &self.shape.kind {
            search = search.kind(kind).map_err(|error| other(&error, kind))?;
        }
        Ok(Ready {
            searcher: Searcher::Pattern(Box::new(search)),
            template,
        })
    }
}

/// What is wrong with a condition or a kind, which is not told whole when it is long.
fn other(error: &impl ToString, given: &str) -> Obstacle {
    Obstacle::Other(shortened(&error.to_string(), [given]))
}

/// Languages of data and markup.
const DATA: [&str; 5] = ["css", "html", "json", "toml", "yaml"];

/// The error; the language with most files comes first.
fn unusable(
    mut obstacles: Vec<Unusable>,
    files: &BTreeMap<Language, usize>,
    searched: Vec<Language>,
) -> Error {
    obstacles.sort_by_key(|one| {
        std::cmp::Reverse(files.get(&one.language).copied().unwrap_or_default())
    });
    Error::Unusable {
        languages: obstacles,
        searched,
    }
}

fn rung(name: &str) -> Result<Rung, Error> {
    name.parse().map_err(|_| {
        let names = Rung::ALL.map(Rung::name);
        Error::usage(format!(
            "no rung is called `{name}`; the nearest is `{}`; the rungs are {}",
            nearest(name, names.into_iter()),
            names.join(", ")
        ))
    })
}

fn check(shape: &Shape, rewrites: bool) -> Result<(), Error> {
    match (&shape.pattern, &shape.query) {
        (Some(_), Some(_)) => Err(Error::usage(
            "a search has a pattern or a query, not both; leave one out",
        )),
        (None, None) => Err(Error::usage(
            "there is nothing to search for; give a `pattern`: a piece of code, with $X where \
             anything may stand",
        )),
        (None, Some(_)) if rewrites => Err(Error::usage(
            "a rewrite starts from a `pattern`; a query binds no text that a template could use",
        )),
        (Some(_), None) => Ok(()),
        (None, Some(_)) => {
            let given = [
                ("as", shape.as_rung.is_some()),
                ("strict", shape.strict),
                ("inside", !shape.inside.is_empty()),
                ("not_inside", !shape.not_inside.is_empty()),
                ("has", !shape.has.is_empty()),
                ("not_has", !shape.not_has.is_empty()),
                ("where", !shape.conditions.is_empty()),
                ("kind", shape.kind.is_some()),
            ];
            match given.into_iter().find(|(_, is_given)| *is_given) {
                Some((name, _)) => Err(Error::usage(format!(
                    "`{name}` constrains a pattern; with a query, say it in the query, with its \
                     predicates (#match?, #eq?)"
                ))),
                None => Ok(()),
            }
        }
    }
}
