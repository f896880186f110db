//! The checkout's own configuration.

use fourfold::{Control, GrepRequest, Host, Limits};

use crate::project::{Project, host, lines};

#[test]
fn the_checkouts_limits_come_before_the_hosts() {
    let project = Project::new(&[
        (
            "fourfold.toml",
            "[limits]\nmax_results = 1\nmax_textbytes = 3\n",
        ),
        ("a.py", "f(1)\nf(2)\n"),
    ]);
    let checkout = project.checkout();
    assert_eq!(
        checkout.notices(),
        ["fourfold.toml: no limit is called `max_textbytes`; the nearest is `max_text_bytes`"]
    );
    let result = checkout
        .grep(&GrepRequest::pattern("f($X)"), &Control::new())
        .unwrap();
    assert_eq!(lines(&result), ["a.py:1:1 f(1)"]);
    assert_eq!(result.summary.left_out.unwrap().matches, 1);
}

#[test]
fn a_configuration_that_cannot_be_read_is_refused() {
    let project = Project::new(&[("fourfold.toml", "[limits]\nthreads = \"all\"\n")]);
    let error = host(Limits::default())
        .checkout(project.root())
        .unwrap_err();
    assert!(error.is_user());
    assert!(
        error
            .to_string()
            .ends_with("`limits.threads` is no whole number from 0 up (string); write one"),
        "{error}"
    );
}

#[test]
fn a_checkout_is_discovered_from_inside() {
    let project = Project::new(&[("fourfold.toml", ""), ("deep/er/a.py", "f(1)\n")]);
    let root = Host::discover(project.root().join("deep/er/a.py")).unwrap();
    assert_eq!(root, project.root().canonicalize().unwrap());
}
