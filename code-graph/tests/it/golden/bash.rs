//! Bash: functions, sourced files, programs of the same name as nothing.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

const FILES: &[(&str, &str)] = &[
    (
        "bin/run.sh",
        r#"#!/bin/bash
source "$(dirname "$0")/../lib/log.sh"
. ./local.sh

main() {
  log_info "start"
  local out=$(compute "$1")
  if check_all; then
    ls -l | grep "$out"
  fi
  retry 3 compute
}

# Recursion.
retry() {
  [ "$1" -gt 0 ] && retry $(( $1 - 1 ))
}

compute() { echo "$1"; }

trap cleanup EXIT
main "$@"
"#,
    ),
    (
        "bin/local.sh",
        "check_all() { true; }\ncleanup() { rm -f x; }\n",
    ),
    (
        "lib/log.sh",
        "log_info() { _log info \"$1\"; }\n_log() { printf '%s' \"$2\"; }\n",
    ),
    // Nobody sources it, but who runs it may have.
    ("lib/extra.sh", "report() { log_info done; }\n"),
];

#[test]
fn commands_are_functions_of_the_script_or_of_what_it_sources() {
    expect![[r#"
        bin/run.sh -> bin/run.sh main [calls exact]
        bin/run.sh main -> bin/local.sh check_all [calls exact]
        bin/run.sh main -> bin/run.sh compute [calls exact]
        bin/run.sh main -> bin/run.sh retry [calls exact]
        bin/run.sh main -> lib/log.sh log_info [calls exact]
        bin/run.sh retry -> bin/run.sh retry [calls exact]
        lib/extra.sh report -> lib/log.sh log_info [calls name]
        lib/log.sh log_info -> lib/log.sh _log [calls exact]
    "#]]
    .assert_eq(&Project::new(FILES).calls());
}

#[test]
fn a_trap_uses_its_handler_and_sourcing_imports() {
    expect![[r#"
        bin/run.sh -> bin/local.sh [imports exact]
        bin/run.sh -> bin/local.sh cleanup [references exact]
        bin/run.sh -> lib/log.sh [imports exact]
    "#]]
    .assert_eq(&Project::new(FILES).edges(&[EdgeKind::References, EdgeKind::Imports]));
}
