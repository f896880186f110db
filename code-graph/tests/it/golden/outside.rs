//! What is called outside, and what may still be a call of something in the checkout, in every
//! language that has members.

use super::{Project, assert_links};
use fourfold_code_graph::link::EdgeKind;

/// Whether in this one file `onlyHere` and what it is called of stays open, and
/// `nowhere`, which no type has, is outside.
fn stays_open(path: &str, text: &str) -> Result<(), String> {
    let lines = Project::new(&[(path, text)]).links(&[EdgeKind::Calls]);
    let has = |mark: &str, name: &str| {
        lines
            .iter()
            .any(|line| line.contains(mark) && line.to_lowercase().contains(name))
    };
    let open = has(" -> ? ", "onlyhere") && !has(" -> ! ", "onlyhere");
    match open && !has(" -> ? ", "nowhere") {
        true => Ok(()),
        false => Err(format!("{path}: {lines:#?}")),
    }
}

#[test]
fn a_method_of_what_something_external_gave_is_not_outside() {
    let files = [
        (
            "a.py",
            "import ext\nclass Info:\n    def onlyHere(self): pass\ndef f():\n    ext.make().onlyHere()\n    ext.make().nowhere()\n",
        ),
        (
            "a.ts",
            "import { make } from 'ext'\nclass Info { onlyHere() {} }\nfunction f() { make().onlyHere(); make().nowhere() }\n",
        ),
        (
            "a.go",
            "package a\n\nimport \"x.org/ext\"\n\ntype Info struct{}\n\nfunc (i Info) OnlyHere() {}\n\nfunc f() {\n\text.Make().OnlyHere()\n\text.Make().Nowhere()\n}\n",
        ),
        (
            "A.java",
            "import org.ext.Ext;\nclass Info { void onlyHere() {} }\nclass A { void f() { Ext.make().onlyHere(); Ext.make().nowhere(); } }\n",
        ),
        (
            "a.kt",
            "import org.ext.make\n\nclass Info {\n  fun onlyHere() {}\n}\n\nfun f() {\n  make().onlyHere()\n  make().nowhere()\n}\n",
        ),
        (
            "a.cs",
            "using Ext;\nclass Info { void OnlyHere() {} }\nclass A { void F() { Maker.Make().OnlyHere(); Maker.Make().Nowhere(); } }\n",
        ),
        (
            "a.php",
            "<?php\nuse Ext\\Maker;\nclass Info { function onlyHere() {} }\nfunction f() { Maker::make()->onlyHere(); Maker::make()->nowhere(); }\n",
        ),
        (
            "a.scala",
            "import org.ext.Ext\nclass Info { def onlyHere(): Unit = () }\nobject A { def f(): Unit = { Ext.make().onlyHere(); Ext.make().nowhere() } }\n",
        ),
        (
            "a.swift",
            "import Ext\nclass Info { func onlyHere() {} }\nfunc f() { make().onlyHere(); make().nowhere() }\n",
        ),
        (
            "a.dart",
            "import 'package:ext/ext.dart';\nclass Info { void onlyHere() {} }\nvoid f() { make().onlyHere(); make().nowhere(); }\n",
        ),
        (
            "a.rb",
            "require 'ext'\nclass Info\n  def onlyHere; end\nend\ndef f\n  Ext.make.onlyHere\nend\n",
        ),
        (
            "a.lua",
            "local ext = require('ext')\nlocal Info = {}\nfunction Info:onlyHere() end\nfunction f() ext.make():onlyHere() end\n",
        ),
        (
            "a.rs",
            "struct Info;\nimpl Info { fn onlyHere(&self) {} }\nfn f() { ext::make().onlyHere(); ext::make().nowhere(); }\n",
        ),
        (
            "a.cpp",
            "#include <ext.h>\nstruct Info { void onlyHere() {} };\nvoid f() { ext::make().onlyHere(); }\n",
        ),
    ];
    let wrong: Vec<String> = files
        .iter()
        .filter_map(|(path, text)| stays_open(path, text).err())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_python_field_or_variable_of_something_external_may_hold_anything() {
    assert_links(
        &[(
            "a.py",
            "\
import os
import click
import numpy.linalg as la
from click import g
class Info:
    def only_here(self): pass
    def join(self): pass
    def norm(self): pass
    def read(self): pass
def by_field(ctx: click.Context): ctx.obj.only_here()
def by_result(): click.get_current_context().obj.only_here()
def by_variable(): g.only_here()
def by_made():
    i = click.thing(Info)
    i.only_here()
def by_type(ctx: click.Context): ctx.only_here()
def surely_outside():
    os.path.join()
    ', '.join([])
    la.norm()
    open('x').read()
",
        )],
        &[EdgeKind::Calls],
        "a.py by_field -> ? only_here [calls]
         a.py by_made -> ! click.thing [calls]
         a.py by_made -> ? only_here [calls]
         a.py by_result -> ! click.get_current_context [calls]
         a.py by_result -> ? only_here [calls]
         a.py by_type -> ! click.Context.only_here [calls]
         a.py by_variable -> ? only_here [calls]
         a.py surely_outside -> ! numpy.linalg.norm [calls]
         a.py surely_outside -> ! open [calls]
         a.py surely_outside -> ! open().read [calls]
         a.py surely_outside -> ! os.path.join [calls]
         a.py surely_outside -> ! str.join [calls]",
    );
}

#[test]
fn what_a_file_gives_an_external_object_comes_before_what_is_outside() {
    assert_links(
        &[(
            "a.js",
            "\
var http = require('node:http');
var res = module.exports = Object.create(http.ServerResponse.prototype);
res.send = function send(b) { return b; };
res.json = function json(o) { this.end(); return this.send(JSON.stringify(o)); };
function make() {
  var app = function (a) { app.handle(a); };
  mixin(app, proto);
  app.init();
  app.call(null);
  return app;
}
var proto = {};
proto.init = function init() {};
proto.handle = function handle() {};
function local() {
  var made = http.createServer();
  made.boot = () => 1;
  made.boot();
  made.close();
}
",
        )],
        &[EdgeKind::Calls],
        "a.js -> ! require [calls]
         a.js local -> ! node:http.createServer [calls]
         a.js local -> ! node:http.createServer().close [calls]
         a.js local -> a.js local.made.boot [calls inferred]
         a.js make -> ! function.call [calls]
         a.js make -> ! mixin [calls]
         a.js make -> ? init [calls]
         a.js make.app -> ? handle [calls]
         a.js res -> ! Object.create [calls]
         a.js res.json -> ! JSON.stringify [calls]
         a.js res.json -> ! node:http.ServerResponse.prototype.end [calls]
         a.js res.json -> a.js res.send [calls inferred]",
    );
}
