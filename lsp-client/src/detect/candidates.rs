//! The programs that may serve, in order, and what speaks against one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fourfold_child::which;

use crate::spec::{Origin, ServerCommand, ServerSpec};

use super::stamp::is_rustup;
use super::{Availability, Detector, Trust, WhyNot, package};

impl Detector {
    /// What is there under the names of a server's commands. The project's own copies come first,
    /// those nearest to the root before those above it; then the search path.
    pub(super) fn candidates<'a>(
        &self,
        server: &'a ServerSpec,
        root: &Path,
    ) -> Vec<(&'a ServerCommand, PathBuf)> {
        let folders: Vec<&Path> = root
            .ancestors()
            .take_while(|folder| folder.starts_with(self.checkout()))
            .collect();
        let mut found = Vec::new();
        for command in &server.commands {
            if is_path(command) {
                found.extend(self.on(command, OsStr::new("")));
                continue;
            }
            for folder in &folders {
                for below in &command.look_in {
                    found.extend(self.on(command, folder.join(below).as_os_str()));
                }
            }
        }
        for command in &server.commands {
            if command.search_path && !is_path(command) {
                found.extend(self.on(command, &self.config.search_path));
            }
        }
        found
    }

    fn on<'a>(
        &self,
        command: &'a ServerCommand,
        search_path: &OsStr,
    ) -> impl Iterator<Item = (&'a ServerCommand, PathBuf)> + use<'a> {
        which(command.program.as_ref(), search_path, self.checkout())
            .found
            .into_iter()
            .map(move |program| (command, program))
    }

    pub(super) fn nothing_found(&self, server: &ServerSpec) -> Availability {
        let mut project_folders: Vec<String> = Vec::new();
        for below in server.commands.iter().flat_map(|command| &command.look_in) {
            if !project_folders.contains(below) {
                project_folders.push(below.clone());
            }
        }
        let mut programs: Vec<String> = Vec::new();
        for command in &server.commands {
            if !programs.contains(&command.program) {
                programs.push(command.program.clone());
            }
        }
        let searched = which(
            "no program".as_ref(),
            &self.config.search_path,
            self.checkout(),
        );
        Availability::NoProgram {
            programs,
            project_folders,
            search_path: searched.searched,
        }
    }

    /// What speaks against starting a program; the cheap questions first.
    pub(super) async fn why_not(
        &self,
        server: &ServerSpec,
        root: &Path,
        command: &ServerCommand,
        program: &Path,
    ) -> Option<WhyNot> {
        if let Some(why) = self.objection(server, root, command, program) {
            return Some(why);
        }
        if is_rustup(program)
            && let Err(failure) = self.proofs.prove(program, root).await
        {
            return Some(WhyNot::NotInstalled(failure));
        }
        None
    }

    /// Whether there is a program that nothing speaks against, as far as looking tells.
    pub(super) fn may_start(&self, server: &ServerSpec, root: &Path) -> bool {
        let distrusted = server.origin == Origin::Checkout && self.trust() == Trust::Untrusted;
        let mut candidates = self.candidates(server, root).into_iter();
        !distrusted
            && candidates
                .any(|(command, program)| self.objection(server, root, command, &program).is_none())
    }

    /// What speaks against a program, as far as looking tells.
    fn objection(
        &self,
        server: &ServerSpec,
        root: &Path,
        command: &ServerCommand,
        program: &Path,
    ) -> Option<WhyNot> {
        if let Some(package) = &command.package
            && let Some(why) = package::objection(package, root, self.checkout())
        {
            return Some(WhyNot::Package(why));
        }
        if self.trust() == Trust::Untrusted && self.place.holds(program) {
            return Some(WhyNot::NotTrusted);
        }
        if let Some(failure) = self.failure(&server.id, root, program) {
            return Some(WhyNot::Failed(failure));
        }
        for need in &command.needs {
            let found = which(
                need.program.as_ref(),
                &self.config.search_path,
                self.checkout(),
            );
            if found.first().is_none() {
                return Some(WhyNot::Needs(need.clone()));
            }
        }
        None
    }
}

/// Whether a command names a file instead of something to look for.
fn is_path(command: &ServerCommand) -> bool {
    command.program.contains('/')
}
