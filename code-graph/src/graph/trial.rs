//! Which code is there for tests, by its path.

/// Folders whose content is for tests, in any language.
const FOLDERS: [&str; 7] = [
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testdata",
    "e2e",
    "androidTest",
];

/// Whether a path, relative to the checkout and with `/`, is one at which the common test runners
/// look for tests or their helpers: a folder of tests around it, or a file name like `test_x.py`,
/// `x_test.go`, `x.spec.ts`, `XTest.java`, `conftest.py`.
pub fn is_test_path(path: &str) -> bool {
    let mut parts = path.split('/');
    let file = parts.next_back().unwrap_or_default();
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    if extension == "go" {
        return stem.ends_with("_test");
    }
    // A Python package called `test` is as often a library for tests, which is no test itself.
    let test = extension != "py" || path.starts_with("test/");
    if parts.any(|folder| FOLDERS.contains(&folder) || folder == "test" && test) {
        return true;
    }
    let words = stem.rsplit_once('.').map_or("", |(_, word)| word);
    let camel = |tail: &str| {
        let jvm = matches!(
            extension,
            "java" | "kt" | "scala" | "cs" | "swift" | "php" | "groovy"
        );
        jvm && stem.strip_suffix(tail).is_some_and(|head| !head.is_empty())
    };
    matches!(words, "test" | "spec" | "cy")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || matches!(stem, "conftest" | "tests")
        || ["Test", "Tests", "TestCase", "Spec"].into_iter().any(camel)
}

#[cfg(test)]
mod tests {
    use super::is_test_path;

    #[test]
    fn runners_look_there() {
        for path in [
            "tests/admin/models.py",
            "pkg/test_io.py",
            "pkg/conftest.py",
            "src/test/java/a/Helper.java",
            "a/FooTest.java",
            "a/b_test.go",
            "ui/button.spec.ts",
            "ui/__tests__/button.tsx",
            "lib/a_test.dart",
            "spec/models/user_spec.rb",
        ] {
            assert!(is_test_path(path), "{path}");
        }
    }

    #[test]
    fn names_that_only_look_alike_are_not_tests() {
        for path in [
            "src/latest.py",
            "src/contest.go",
            "src/testament/x.rs",
            "src/Test.java",
            "django/test/client.py",
            "mux/test_helpers.go",
            "tests/main.go",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
