//! Haskell, OCaml, Nix.

use super::row::row;
use crate::spec::ServerSpec;

pub(super) fn rows() -> Vec<ServerSpec> {
    vec![
        row("haskell")
            .extensions("haskell", "hs lhs")
            .outermost("cabal.project stack.yaml hie.yaml")
            .nearest("*.cabal package.yaml")
            .run("haskell-language-server-wrapper --lsp")
            .heavy()
            .install("ghcup install hls"),
        row("ocaml")
            .extensions("ocaml", "ml")
            .extensions("ocaml.interface", "mli")
            .outermost("dune-workspace dune-project")
            .nearest("*.opam")
            .run("ocamllsp")
            .install("opam install ocaml-lsp-server"),
        row("nix")
            .extensions("nix", "nix")
            .nearest("flake.nix default.nix")
            .run("nixd")
            .run("nil")
            .install("nix profile install nixpkgs#nixd"),
    ]
}
