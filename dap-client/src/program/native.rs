//! Executables.

use std::path::Path;

use super::elf::{self, Executable};
use super::{ProgramError, search};

/// The executable, when it is one that a debugger can say something about.
pub(super) fn checked(file: &Path) -> Result<Executable, ProgramError> {
    let not = |why: &str| ProgramError::NotAProgram {
        path: file.to_owned(),
        why: why.to_owned(),
    };
    if !file.exists() {
        return Err(not(
            "there is no such file after the build; correct the path, or the build",
        ));
    }
    let executable = elf::read(file).ok_or_else(|| not("it is no executable of this machine"))?;
    if !executable.debug_info {
        return Err(not(
            "it was built without debug information; build it with -g (and -O0), or in the dev profile",
        ));
    }
    Ok(executable)
}

/// Why a source file of a compiled language is no program, and what to do.
pub(super) fn source(file: &Path, checkout: &Path) -> ProgramError {
    let name = search::shown(file, checkout);
    let stem = file.with_extension("");
    let stem = search::shown(&stem, checkout);
    let compiler = match file.extension().and_then(|ending| ending.to_str()) {
        Some("c") => "cc",
        _ => "c++",
    };
    ProgramError::NotAProgram {
        path: name.clone().into(),
        why: format!(
            "it is a source file; name the program that is built of it, with a build command if it \
             must be built: program `{stem}`, build `{compiler} -g -O0 {name} -o {stem}`"
        ),
    }
}
