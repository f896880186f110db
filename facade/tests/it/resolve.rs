//! Applying and discarding, across hosts as across processes.

use fourfold::{Control, Error, Limits, ResolveRequest, RewriteRequest};

use crate::project::{Project, host};

fn project() -> Project {
    Project::new(&[
        ("a.py", "old(1)\nold(2)\n"),
        ("b.py", "old(3)\n"),
        ("c.py", "old(old(4))\n"),
    ])
}

fn kept() -> RewriteRequest {
    RewriteRequest {
        keep: true,
        ..RewriteRequest::new("old($X)", "new($X)")
    }
}

#[test]
fn a_stage_in_memory_is_applied_whole() {
    let project = project();
    let (conversation, result) = project.rewrite(&RewriteRequest::new("old($X)", "new($X)"));
    let id = result.stage.unwrap();
    let listed = conversation.staged().unwrap().stages;
    assert_eq!(
        (listed[0].id.as_str(), listed[0].kept, listed[0].sites),
        (id.as_str(), false, 5)
    );
    assert!(conversation.diff(&id, 1000).unwrap().contains("+new(1)"));
    let applied = conversation.resolve(&ResolveRequest::apply(&id)).unwrap();
    assert!(applied.applied);
    assert_eq!(applied.files, ["a.py", "b.py", "c.py"]);
    assert_eq!((applied.sites, applied.selection), (5, None));
    assert_eq!(project.read("c.py"), "new(new(4))\n");
    assert!(conversation.staged().unwrap().stages.is_empty());
    let again = conversation
        .resolve(&ResolveRequest::apply(&id))
        .unwrap_err();
    assert!(matches!(again, Error::NoSuchStage { .. }));
    assert!(again.to_string().ends_with("there is none now"), "{again}");
}

#[test]
fn a_kept_stage_is_resolved_by_another_process() {
    let project = project();
    let id = project.rewrite(&kept()).1.stage.unwrap();
    // Another host.
    let other = project.conversation();
    let listed = other.staged().unwrap().stages;
    assert_eq!(listed.len(), 1);
    assert!(listed[0].kept);
    assert_eq!(listed[0].pattern.as_deref(), Some("old($X)"));
    assert_eq!(listed[0].template.as_deref(), Some("new($X)"));
    assert_eq!(listed[0].sites, 5);
    other.resolve(&ResolveRequest::apply(&id)).unwrap();
    assert_eq!(project.read("a.py"), "new(1)\nnew(2)\n");
    assert!(project.conversation().staged().unwrap().stages.is_empty());
    let stages = project.root().join(".fourfold/stages");
    let left: Vec<_> = std::fs::read_dir(stages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name != "lock")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_stage_in_memory_ends_with_the_last_handle() {
    let project = project();
    let checkout = project.checkout();
    let conversation = checkout.conversation("one");
    let result = conversation
        .rewrite(&RewriteRequest::new("old($X)", "new($X)"), &Control::new())
        .unwrap();
    let id = result.stage.unwrap();
    let same = checkout.conversation("one");
    drop(conversation);
    assert_eq!(same.staged().unwrap().stages.len(), 1);
    assert!(
        checkout
            .conversation("two")
            .staged()
            .unwrap()
            .stages
            .is_empty()
    );
    drop(same);
    let later = checkout.conversation("one");
    assert!(later.resolve(&ResolveRequest::apply(id)).is_err());
    assert_eq!(project.read("b.py"), "old(3)\n");
}

#[test]
fn discarding_changes_nothing() {
    let project = project();
    for request in [kept(), RewriteRequest::new("old($X)", "new($X)")] {
        let (conversation, result) = project.rewrite(&request);
        let id = result.stage.unwrap();
        let discarded = conversation.resolve(&ResolveRequest::discard(&id)).unwrap();
        assert!(!discarded.applied);
        assert_eq!(discarded.files.len(), 3);
        assert!(conversation.staged().unwrap().stages.is_empty());
    }
    assert_eq!(project.read("a.py"), "old(1)\nold(2)\n");
}

#[test]
fn what_is_left_out_is_a_stage_of_its_own() {
    let project = project();
    let id = project.rewrite(&kept()).1.stage.unwrap();
    let mut request = ResolveRequest::apply(&id);
    request.except = vec!["a.py:2".into(), "b.py".into(), "b.py:1".into()];
    let applied = project.conversation().resolve(&request).unwrap();
    let selection = applied.selection.unwrap();
    assert_ne!(selection, id);
    assert_eq!(applied.files, ["a.py", "c.py"]);
    assert_eq!(applied.sites, 3);
    assert_eq!(project.read("a.py"), "new(1)\nold(2)\n");
    assert_eq!(project.read("b.py"), "old(3)\n");
    let rest = applied.rest.unwrap();
    assert_eq!(
        (rest.sites, rest.files),
        (2, vec!["a.py".to_owned(), "b.py".to_owned()])
    );
    let stages = project.conversation().staged().unwrap().stages;
    assert_eq!(stages.len(), 1);
    assert_eq!((&stages[0].id, stages[0].kept), (&rest.stage, true));
    assert_eq!(stages[0].pattern.as_deref(), Some("old($X)"));
    let sites = project.conversation().sites(&rest.stage).unwrap();
    let names: Vec<_> = sites.iter().map(|site| site.id.as_str()).collect();
    assert_eq!(names, ["a.py:2", "b.py:1"]);
    let request = ResolveRequest::apply(&rest.stage);
    let applied = project.conversation().resolve(&request).unwrap();
    assert_eq!((applied.sites, applied.rest), (2, None));
    assert_eq!(project.read("a.py"), "new(1)\nnew(2)\n");
    assert_eq!(project.read("b.py"), "new(3)\n");
    assert!(project.conversation().staged().unwrap().stages.is_empty());
}

#[test]
fn what_is_left_out_of_a_file_moves_with_what_was_done() {
    let project = Project::new(&[("a.py", "old(1); old(22)\nold(3)\nold(old(4))\n")]);
    let request = RewriteRequest::new("old($X)", "quite_another($X)");
    let (conversation, result) = project.rewrite(&request);
    let mut request = ResolveRequest::apply(result.stage.unwrap());
    request.except = vec!["a.py:1#2".into(), "a.py:3".into()];
    let applied = conversation.resolve(&request).unwrap();
    let begun = "quite_another(1); old(22)\nquite_another(3)\nold(old(4))\n";
    assert_eq!(project.read("a.py"), begun);
    let rest = applied.rest.unwrap();
    // The one inside the other goes with it.
    assert_eq!(rest.sites, 3);
    let request = ResolveRequest::apply(rest.stage);
    conversation.resolve(&request).unwrap();
    assert_eq!(
        project.read("a.py"),
        "quite_another(1); quite_another(22)\nquite_another(3)\nquite_another(quite_another(4))\n"
    );
}

#[test]
fn names_in_except_are_checked() {
    let project = project();
    let (conversation, result) = project.rewrite(&RewriteRequest::new("old($X)", "new($X)"));
    let id = result.stage.unwrap();
    let wrong = |except: &[&str]| {
        let mut request = ResolveRequest::apply(&id);
        request.except = except.iter().map(|name| (*name).to_owned()).collect();
        conversation.resolve(&request).unwrap_err().to_string()
    };
    assert_eq!(
        wrong(&["a.py:3"]),
        format!(
            "stage {id} has no site or file called `a.py:3`; the nearest is `a.py:1`; its sites are named like a.py:1"
        )
    );
    assert!(wrong(&["c.py:1#2"]).starts_with("the site c.py:1#2 lies inside c.py:1 and"));
    assert_eq!(
        wrong(&["a.py", "b.py", "c.py"]),
        format!("nothing of stage {id} is left; discard it instead")
    );
    // It is still there.
    conversation.resolve(&ResolveRequest::apply(&id)).unwrap();
}

#[test]
fn drift_refuses_all_names_the_files_and_keeps_the_stage() {
    let project = project();
    for request in [kept(), RewriteRequest::new("old($X)", "new($X)")] {
        project.write("a.py", "old(1)\nold(2)\n");
        project.write("b.py", "old(3)\n");
        let (conversation, result) = project.rewrite(&request);
        let id = result.stage.unwrap();
        project.write("a.py", "old(1)\nold(2)\nmore\n");
        std::fs::remove_file(project.root().join("b.py")).unwrap();
        let error = conversation
            .resolve(&ResolveRequest::apply(&id))
            .unwrap_err();
        assert!(!error.is_user());
        let Error::Drifted { files, .. } = &error else {
            panic!("{error}")
        };
        let names: Vec<_> = files
            .iter()
            .map(|file| file.path.to_str().unwrap())
            .collect();
        assert_eq!(names, ["a.py", "b.py"]);
        assert_eq!(
            error.to_string(),
            format!(
                "stage {id} was not applied and nothing was changed, because a.py changed since it was staged, \
                 b.py vanished since it was staged; the stage is kept: stage the rewrite again (pattern `old($X)`, \
                 template `new($X)`), or apply it without those files (`except`)"
            )
        );
        assert_eq!(project.read("c.py"), "old(old(4))\n");
        assert_eq!(conversation.staged().unwrap().stages[0].id, id);
        conversation.resolve(&ResolveRequest::discard(&id)).unwrap();
    }
    // What did not drift can still be applied.
    let (conversation, result) = project_again(&project);
    project.write("a.py", "changed\n");
    let mut request = ResolveRequest::apply(result);
    request.except = vec!["a.py".into()];
    let applied = conversation.resolve(&request).unwrap();
    assert_eq!(applied.files, ["b.py", "c.py"]);
    assert_eq!(applied.rest, None);
    let [notice] = applied.notices.as_slice() else {
        panic!("{:?}", applied.notices);
    };
    assert!(
        notice.starts_with("`a.py`, which was left out, is staged no more: "),
        "{notice}"
    );
    assert_eq!(project.read("a.py"), "changed\n");
}

fn project_again(project: &Project) -> (fourfold::Conversation, String) {
    project.write("b.py", "old(3)\n");
    let (conversation, result) = project.rewrite(&RewriteRequest::new("old($X)", "new($X)"));
    (conversation, result.stage.unwrap())
}

#[test]
fn of_two_at_once_one_wins() {
    let project = project();
    let id = project.rewrite(&kept()).1.stage.unwrap();
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| project.conversation().resolve(&ResolveRequest::apply(&id))))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let won = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(won, 1, "{results:?}");
    assert_eq!(project.read("a.py"), "new(1)\nnew(2)\n");
}

#[test]
fn too_many_stages_push_the_oldest_out_and_say_so() {
    let project = project();
    let limits = Limits {
        max_stages: 2,
        ..Limits::default()
    };
    let conversation = project.with_limits(limits).conversation("test");
    for request in [kept(), RewriteRequest::new("old($X)", "new($X)")] {
        let stage = || conversation.rewrite(&request, &Control::new()).unwrap();
        let first = stage().stage.unwrap();
        assert!(stage().evicted.is_empty());
        let third = stage();
        assert_eq!(third.evicted.len(), 1);
        if !request.keep {
            assert_eq!(third.evicted[0].id, first);
        }
        assert!(third.evicted[0].why.contains("oldest"));
    }
}

#[test]
fn a_checkout_opened_for_reading_is_never_written() {
    let project = project();
    let host = host(Limits::default());
    let checkout = host.checkout_read_only(project.root()).unwrap();
    let conversation = checkout.conversation("reader");
    let names: Vec<_> = checkout.tools().iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        [
            "ast_grep",
            "search_code",
            "code_symbol",
            "code_callers",
            "code_callees",
            "code_impact",
            "code_map",
            "code_graph",
            "ast_explain"
        ]
    );
    let error = conversation.rewrite(&kept(), &Control::new()).unwrap_err();
    assert!(
        error.to_string().contains("opened for reading only"),
        "{error}"
    );
    assert!(
        conversation
            .resolve(&ResolveRequest::apply("s-2222"))
            .is_err()
    );
    assert!(conversation.staged().unwrap().stages.is_empty());
    assert!(!project.root().join(".fourfold").exists());
}

#[test]
fn one_checkout_for_one_root() {
    let project = project();
    let host = host(Limits::default());
    let one = host.checkout(project.root()).unwrap();
    let other = host.checkout(project.root().join(".")).unwrap();
    assert!(std::sync::Arc::ptr_eq(&one, &other));
}

#[test]
fn an_interrupted_commit_is_recovered_when_opened_and_said() {
    let project = project();
    // What a crash leaves that came before the journal.
    project.write(".fourfold/txn/s-2222/1", "half a file");
    let reader = host(Limits::default());
    let reading = reader.checkout_read_only(project.root()).unwrap();
    assert!(reading.recovery().commits.is_empty());
    assert!(reading.recover().is_err());
    let checkout = project.checkout();
    let commits = &checkout.recovery().commits;
    assert_eq!(commits[0].id, "s-2222");
    assert_eq!(commits[0].outcome, "it had not begun to change anything");
    assert!(!project.root().join(".fourfold/txn/s-2222").exists());
    assert!(checkout.recover().unwrap().commits.is_empty());
}

#[test]
fn a_damaged_stage_is_listed_and_can_only_be_discarded() {
    let project = project();
    let id = project.rewrite(&kept()).1.stage.unwrap();
    let file = project.root().join(format!(".fourfold/stages/{id}.stage"));
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let conversation = project.conversation();
    assert!(conversation.staged().unwrap().stages[0].damaged.is_some());
    let error = conversation
        .resolve(&ResolveRequest::apply(&id))
        .unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
    let discarded = conversation.resolve(&ResolveRequest::discard(&id)).unwrap();
    assert!(discarded.notices[0].contains("damaged"));
    assert!(conversation.staged().unwrap().stages.is_empty());
}

/// Without its one file nothing is left of a stage: that is not advised.
#[test]
fn a_stage_of_one_file_that_drifted_is_staged_again_or_discarded() {
    let project = Project::new(&[("a.py", "old(1)\n")]);
    let (conversation, staged) = project.rewrite(&RewriteRequest::new("old($X)", "new($X)"));
    let id = staged.stage.unwrap();
    project.write("a.py", "old(1)\nold(2)\n");
    let error = conversation
        .resolve(&ResolveRequest::apply(&id))
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("template `new($X)`), or discard it"),
        "{error}"
    );
    assert_eq!(project.read("a.py"), "old(1)\nold(2)\n");
}
