//! Symbols found on lines, and what is said when they are not.

use expect_test::expect;
use proptest::prelude::*;

use super::*;

/// Line and column from 1, with what stands there.
fn at(text: &str, line: u32, symbol: &str) -> Result<(u32, String), String> {
    let point = locate(text, line, symbol).map_err(|error| error.to_string())?;
    let index = LineIndex::new(text);
    let behind = &text[index.offset(text, point)..];
    assert_eq!(point.line + 1, line);
    Ok((point.column, behind.chars().take(4).collect()))
}

#[test]
fn whole_words_come_first() {
    let text = "let total_sum = sum(sums, 0);";
    assert_eq!(at(text, 1, "sum").unwrap(), (16, "sum(".into()));
    assert_eq!(at(text, 1, " sum ").unwrap(), (16, "sum(".into()));
    assert_eq!(at(text, 1, "sums").unwrap(), (20, "sums".into()));
    assert_eq!(at(text, 1, "total").unwrap(), (4, "tota".into()));
    assert_eq!(at(text, 1, "sum#1").unwrap().0, 16);
    assert_eq!(at("x = sums;", 1, "sum").unwrap().0, 4);
    assert_eq!(at("größe = größ", 1, "größ").unwrap().0, 10);
    assert_eq!(at("$a = a", 1, "a").unwrap().0, 5);
}

#[test]
fn an_occurrence_is_named_by_its_number() {
    let text = "\ta(b, a, \"😀\", a)\r\n";
    assert_eq!(at(text, 1, "a#1").unwrap().0, 1);
    assert_eq!(at(text, 1, "a#2").unwrap().0, 6);
    assert_eq!(at(text, 1, "a#3").unwrap().0, 17);
}

#[test]
fn the_last_name_of_a_path_is_meant() {
    for (text, symbol, expected) in [
        ("let v = Vec::new();", "Vec::new", "new("),
        ("self.items.push(x)", "self.items.push(x)", "push"),
        ("a->next->prev = 0", "a->next->prev", "prev"),
        ("let v: Vec<u8> = v", "Vec<u8>", "Vec<"),
        ("x = obj?.name", "obj?.name", "name"),
        ("use App\\Model\\User;", "App\\Model\\User", "User"),
        ("this.#count += 1", "#count", "coun"),
        ("for i in 0..n {}", "0..n", "0..n"),
        ("a += b", "+=", "+= b"),
        ("v.collect::<Vec<_>>()", "v.collect::<Vec<_>>", "coll"),
    ] {
        assert_eq!(at(text, 1, symbol).unwrap().1, expected, "{symbol}");
    }
}

#[test]
fn a_number_sign_may_belong_to_the_name() {
    assert_eq!(at("#include <a>", 1, "#include").unwrap().0, 1);
    assert_eq!(at("color: #123;", 1, "#123").unwrap().0, 8);
    assert_eq!(at("see issue#x", 1, "issue#x").unwrap().1, "x");
}

#[test]
fn what_cannot_be_found_is_told_with_what_is_there() {
    let text = "fn first() {}\nfn second(first: u8) {\n    first2(first, first)\n}\nfirsts\n";
    let many = format!("{}\n", "x + ".repeat(20));
    let long = format!("{} y\n", "z".repeat(500));
    let cases = [
        at(text, 0, "first"),
        at(text, 7, "first"),
        at(text, 3, "  "),
        at(text, 4, "first"),
        at(text, 1, "second"),
        at(text, 1, "firsts"),
        at(text, 1, "third"),
        at(text, 3, "first"),
        at(text, 3, "first#3"),
        at(text, 1, "first#0"),
        at(&many, 1, "x"),
        at(&long, 1, "x"),
        at("a😀😀😀😀😀😀😀😀 a 😀😀😀😀😀😀😀😀a", 1, "a"),
    ];
    let told: String = cases
        .into_iter()
        .map(|case| case.unwrap_err() + "\n")
        .collect();
    expect![[r#"
        there is no line 0: the last one is 5 and the first is 1
        there is no line 7: the last one is 5 and the first is 1
        looking for a symbol: it is empty; say the name that stands on the line
        no "first" on line 4; the line reads "}"; the nearest line that has it is 3
        no "second" on line 1; the line reads "fn first() {}"; the nearest line that has it is 2
        no "firsts" on line 1; the line reads "fn first() {}"; the nearest line that has it is 5
        no "third" on line 1; the line reads "fn first() {}"; no other line of the file has it
        line 3 has "first" 2 times; say which one is meant:
          first#1: first2(«first», first)
          first#2: first2(first, «first»)
        no occurrence 3 of "first" on line 3, which has 2:
          first#1: first2(«first», first)
          first#2: first2(first, «first»)
        no occurrence 0 of "first" on line 1, which has 1:
          first#1: fn «first»() {}
        line 1 has "x" 20 times; say which one is meant:
          x#1: «x» + x + x + x + x + x + x
          x#2: x + «x» + x + x + x + x + x + x
          x#3: x + x + «x» + x + x + x + x + x + x
          x#4: x + x + x + «x» + x + x + x + x + x + x
          x#5: x + x + x + x + «x» + x + x + x + x + x + x
          x#6: x + x + x + x + x + «x» + x + x + x + x + x + x
          x#7: x + x + x + x + x + x + «x» + x + x + x + x + x + x
          x#8: x + x + x + x + x + x + «x» + x + x + x + x + x + x
          and 12 more
        no "x" on line 1; the line reads "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…"; no other line of the file has it
        line 1 has "a" 3 times; say which one is meant:
          a#1: «a»😀😀😀😀😀😀
          a#2: 😀😀😀😀😀😀 «a» 😀😀😀😀😀
          a#3: 😀😀😀😀😀😀«a»
    "#]].assert_eq(&told);
}

proptest! {
    #[test]
    fn what_is_found_reads_as_asked(
        words in proptest::collection::vec("[ab漢]{1,3}", 1..6),
        pick in any::<proptest::sample::Index>(),
        before in "[\n\r ]{0,3}",
    ) {
        let pick = pick.index(words.len());
        let word = &words[pick];
        let number = words[..=pick].iter().filter(|other| *other == word).count();
        let text = format!("{before}{}\n", words.join(" "));
        let line = LineIndex::new(&before).count() as u32;
        let found = locate(&text, line, &format!("{word}#{number}")).unwrap();
        let start: usize = words[..pick].iter().map(|word| word.len() + 1).sum();
        let blanks = before.rsplit(['\n', '\r']).next().unwrap().len();
        prop_assert_eq!(found, Point { line: line - 1, column: (blanks + start) as u32 });
        let alone = locate(&text, line, word).is_ok();
        prop_assert_eq!(alone, words.iter().filter(|other| *other == word).count() == 1);
    }

    #[test]
    fn anything_may_be_asked(text in "\\PC{0,40}", line in 0..4_u32, symbol in "\\PC{0,6}(#[0-9]{0,2})?") {
        if let Ok(point) = locate(&text, line, &symbol) {
            let index = LineIndex::new(&text);
            prop_assert_eq!(index.point(&text, index.offset(&text, point)), point);
        }
    }
}
