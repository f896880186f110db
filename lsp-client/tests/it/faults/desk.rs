//! A scripted server in memory, and the session with it.

use std::sync::Arc;
use std::time::Duration;

use fourfold_lsp_client::{
    Change, Diagnostic, Evidence, FileEvent, Launch, Readiness, ServerSpec, Session, SessionLimits,
    Settled, StartError, Transport,
};
use fourfold_testkit::{Fake, Log, Project, Script, Style};

/// The whole wait for a verdict.
pub(crate) const BUDGET: Duration = Duration::from_secs(30);

/// What is known about a scripted server of this style.
pub(crate) fn spec(style: Style) -> ServerSpec {
    let mut spec = ServerSpec::new("fake");
    spec.readiness = Readiness::AtOnce;
    spec.diagnostics.versioned = matches!(style, Style::Push | Style::PushUnlessClean);
    spec.diagnostics.silent_when_clean = style == Style::PushUnlessClean;
    spec
}

/// A project with a server that looks at its file `a.x`.
pub(crate) struct Desk {
    pub(crate) session: Session,
    pub(crate) log: Log,
    pub(crate) project: Project,
}

impl Desk {
    /// Starts the server that plays this script.
    pub(crate) async fn start(script: Script) -> Result<Desk, StartError> {
        let spec = spec(script.style);
        Desk::start_as(script, spec).await
    }

    pub(crate) async fn start_as(script: Script, spec: ServerSpec) -> Result<Desk, StartError> {
        let project = Project::new().file("a.x", "");
        let fake = Fake::start(script);
        let transport = Transport::Pipes {
            read: Box::new(fake.output),
            write: Box::new(fake.input),
        };
        let launch = Launch::new(Arc::new(spec), project.root().to_owned(), transport);
        let session = Session::start(launch, SessionLimits::default()).await?;
        Ok(Desk {
            session,
            log: fake.log,
            project,
        })
    }

    /// Writes the file and tells the server, which may not listen.
    pub(crate) async fn write(&self, text: &str) {
        self.project.write("a.x", text);
        let change = Change::new(self.project.path("a.x"), FileEvent::Changed).with_text("x", text);
        let _ = self.session.announce(&[change]).await;
    }

    /// What is said about the text it has now.
    pub(crate) async fn settle(&self) -> Settled {
        self.session.settle(&self.project.path("a.x"), BUDGET).await
    }

    /// Both, in words.
    pub(crate) async fn verdict(&self, text: &str) -> String {
        self.write(text).await;
        told(&self.settle().await)
    }
}

pub(crate) fn messages(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(|one| one.message.clone()).collect()
}

/// A verdict in words: what was found, and how that is known or why not.
pub(crate) fn told(settled: &Settled) -> String {
    let found = messages(&settled.diagnostics).join(", ");
    match &settled.evidence {
        Evidence::Unconfirmed(why) => format!("[{found}] not confirmed: {why}"),
        evidence => format!("[{found}] {evidence:?}"),
    }
}
