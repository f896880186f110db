//! Why a program cannot be launched.

use std::path::PathBuf;
use std::time::Duration;

/// Why there is nothing to launch. Nothing was started then, or it has ended again.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// A file that is not there.
    #[error("there is no {}{}", .path.display(), near(.nearest))]
    NoFile {
        /// The path as it was given.
        path: PathBuf,
        /// Files of similar names.
        nearest: Vec<String>,
    },
    /// A file that is not a program.
    #[error("cannot debug {}: {why}", .path.display())]
    NotAProgram {
        /// The path as it was given.
        path: PathBuf,
        /// Why not, and what to do.
        why: String,
    },
    /// A debug adapter that gives no standard input to the program.
    #[error(
        "{adapter} gives a program no standard input; let the program read a file that is named in \
         its arguments or environment"
    )]
    NoStdin {
        /// The adapter.
        adapter: String,
    },
    /// The name of a test in no form that is known here.
    #[error(
        "cannot tell what kind of test `{test}` is; name it like one of {}", .forms.join(", ")
    )]
    NoSuchForm {
        /// The name as it was given.
        test: String,
        /// Examples of what is known.
        forms: Vec<&'static str>,
    },
    /// A test that is not there.
    #[error("there is no test `{test}` in {place}{}", near(.nearest))]
    NoTest {
        /// The name as it was given.
        test: String,
        /// Where it was looked for.
        place: String,
        /// Tests of similar names.
        nearest: Vec<String>,
    },
    /// A file without tests.
    #[error(
        "there is no test in {}; to debug the file itself, name it as the program", .file.display()
    )]
    NoTests {
        /// The file as it was given.
        file: PathBuf,
    },
    /// A name that several tests have.
    #[error("`{test}` is not one test: {}", .found.join(", "))]
    ManyTests {
        /// The name as it was given.
        test: String,
        /// Those that it may mean, at most ten.
        found: Vec<String>,
    },
    /// No adapter can be started.
    #[error("no debug adapter for {program} can be started{}", each(.found))]
    NoAdapter {
        /// The program, as people call it.
        program: String,
        /// What was found out about each that could serve.
        found: Vec<String>,
    },
    /// The adapter debugs another language.
    #[error("{adapter} does not debug {language}; use {}", .instead.join(" or "))]
    WrongAdapter {
        /// The adapter.
        adapter: String,
        /// The program's language.
        language: String,
        /// Those that do.
        instead: Vec<String>,
    },
    /// The build failed. What the compiler said is all that matters.
    #[error("the build failed: `{command}` ended with {end}\n{output}")]
    BuildFailed {
        /// The command.
        command: String,
        /// How it ended.
        end: String,
        /// The compiler's errors, or the end of what it said.
        output: String,
    },
    /// A command before the launch took too long.
    #[error("`{command}` did not end within {} s and was ended; run it by hand first", .after.as_secs())]
    TimedOut {
        /// The command.
        command: String,
        /// How long was waited.
        after: Duration,
    },
    /// A command before the launch could not be run.
    #[error("cannot run `{command}`: {why}")]
    NotStarted {
        /// The command.
        command: String,
        /// Why not.
        why: String,
    },
}

/// What is nearest, for the end of a sentence.
fn near(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        some => format!("; near it: {}", some.join(", ")),
    }
}

/// What was found out, for the end of a sentence.
fn each(found: &[String]) -> String {
    match found {
        [] => ": none is known for this kind of file; `adapter` names one".to_owned(),
        some => format!(": {}", some.join("; ")),
    }
}
