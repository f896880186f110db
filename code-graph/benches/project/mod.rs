//! A project that is made up, of the size of a large checkout.

use std::fs;

/// A tree of 500 Python modules whose classes inherit from and call each other.
pub(crate) fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for package in 0..25 {
        let path = folder.path().join(format!("p{package}"));
        fs::create_dir(&path).unwrap();
        fs::write(path.join("__init__.py"), "").unwrap();
        for module in 0..20 {
            let mut text = String::new();
            for class in 0..8 {
                let (from, base) = ((package * 7 + class) % 25, (module * 3 + class) % 20);
                text += &format!(
                    "from p{from}.m{base} import C{base}_{class} as B{class}\n\n\
                     class C{module}_{class}(B{class}):\n"
                );
                for method in 0..8 {
                    text += &format!(
                        "    def f{method}(self, x: B{class}, y=None):\n        \
                             for z in self.f{class}(x):\n            \
                                 x.f{method}(z).f{class}(helper(y))\n        \
                             return B{class}()\n\n"
                    );
                }
            }
            text += "\ndef helper(x):\n    return x\n";
            fs::write(path.join(format!("m{module}.py")), text).unwrap();
        }
    }
    folder
}
