//! What a linter withholds while there are type errors is neither fixed nor new.

use fourfold::{Verdict, VerdictState, WriteRequest};

use crate::served::Served;

const MAIN: &str = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(total(1))\n}\n";
const TOTAL: &str = "package main\n\nfunc total(n int) int {\n\treturn n\n}\n";

#[test]
fn a_vet_warning_survives_a_type_error() {
    let files = &[
        ("go.mod", "module x\n\ngo 1.19\n"),
        ("main.go", MAIN),
        ("total.go", TOTAL),
    ];
    let served = Served::real(files, &["gopls", "go"]);
    let write = |path: &str, text: &str| {
        let request = WriteRequest::new(path, text);
        let verdict = served.conversation().write(&request).unwrap().verdict;
        let verdict = verdict.unwrap();
        eprintln!("{path}: {verdict}");
        verdict
    };
    let told = |verdict: &Verdict| (verdict.state, verdict.new.len(), verdict.fixed.len());
    let first = write("total.go", &TOTAL.replace("return n", "return n + 0"));
    assert_eq!(told(&first), (VerdictState::Clean, 0, 0), "{first}");

    let vetted = MAIN.replace("fmt.Println(", "fmt.Printf(\"%s\\n\", ");
    let vet = write("main.go", &vetted);
    assert_eq!(told(&vet), (VerdictState::Problems, 1, 0), "{vet}");
    assert_eq!(vet.new[0].severity, "warning", "{vet}");

    let broken = write("total.go", &TOTAL.replace("return n", "return m"));
    assert_eq!(told(&broken), (VerdictState::Problems, 1, 0), "{broken}");
    let repaired = write("total.go", TOTAL);
    assert_eq!(told(&repaired), (VerdictState::Clean, 0, 1), "{repaired}");
    let gone = write("main.go", MAIN);
    assert_eq!(told(&gone), (VerdictState::Clean, 0, 1), "{gone}");
    served.close();
}
