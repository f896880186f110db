# Evaluated in a program of Python before its own code runs, by debugpy; what fails is left undone.


def fourfold_forks():
    # Where the debugger does not follow what a program starts, a forked child has the tracing of its
    # parent and no debugger to speak to: at a breakpoint it would wait for ever. It goes on without, and
    # the first time that is said. What was attached to by its number starts children that wait for a
    # debugger which is never told of them: that is put off.
    import os, sys, threading
    if "attach_pid_injected" in sys.modules:
        from _pydev_bundle import pydev_monkey
        pydev_monkey._get_apply_arg_patching = lambda: False
    elif os.fork.__name__ == "new_fork":
        return
    import pydevd_tracing
    from _pydevd_bundle.pydevd_constants import get_global_debugger, set_global_debugger
    said = []
    def child():
        if get_global_debugger() is not None:
            pydevd_tracing.restore_sys_set_trace_func()
            sys.settrace(None)
            threading.settrace(None)
            set_global_debugger(None)
    def parent():
        debugger = get_global_debugger()
        if getattr(debugger, "writer", None) is not None and not said:
            said.append(True)
            words = "the program forked: its children run without breakpoints and failure stops\n"
            debugger.writer.add_command(debugger.cmd_factory.make_warning_message(words))
    os.register_at_fork(after_in_parent=parent, after_in_child=child)


def fourfold_exceptions():
    # An exception that leaves the project's own code and then the thread stops twice: the second time
    # `fourfold_seen.again` says so. One that a recursion ends in stops not at all before Python 3.12: its
    # depth leaves no room for the tracing, which is switched off. It is told where it ends up.
    import sys, threading
    from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info
    from _pydevd_bundle.pydevd_breakpoints import stop_on_unhandled_exception
    from _pydevd_bundle.pydevd_constants import get_global_debugger
    debugger = get_global_debugger()
    seen = debugger.fourfold_seen = threading.local()
    seen_before = lambda error: getattr(seen, "error", None) == id(error)
    wait = debugger.do_wait_suspend
    def waits(*args, **more):
        seen.again = False
        if len(args) > 3 and args[2] == "exception" and args[3]:
            error = args[3][1]
            seen.again = args[4:5] == ("UNHANDLED",) and seen_before(error)
            seen.error = id(error)
        return wait(*args, **more)
    debugger.do_wait_suspend = waits
    def tell(kind, error, trace):
        if issubclass(kind, RecursionError) and not seen_before(error):
            # Without the tracing itself, which was the last straw.
            inner, last = trace, trace
            while inner is not None:
                if "pydevd" not in inner.tb_frame.f_code.co_filename:
                    last = inner
                inner = inner.tb_next
            if last is not None:
                last.tb_next = None
            thread = threading.current_thread()
            info = set_additional_thread_info(thread)
            stop_on_unhandled_exception(debugger, thread, info, (kind, error, trace))
    program, threads = sys.excepthook, threading.excepthook
    def of_program(kind, error, trace):
        tell(kind, error, trace)
        program(kind, error, trace)
    def of_thread(args):
        tell(args.exc_type, args.exc_value, args.exc_traceback)
        threads(args)
    sys.excepthook, threading.excepthook = of_program, of_thread
    from debugpy.server import cli
    if cli.options.target == "unittest":
        from unittest import TestResult
        add = TestResult.addError
        def adds(self, test, error):
            tell(*error)
            add(self, test, error)
        TestResult.addError = adds
    if cli.options.target == "pytest":
        from _pytest import runner
        checks = runner.check_interactive_exception
        def check(call, report):
            if call.excinfo is not None:
                tell(call.excinfo.type, call.excinfo.value, call.excinfo.tb)
            return checks(call, report)
        runner.check_interactive_exception = check


def fourfold_logs():
    # Of a message with several expressions, one that cannot be evaluated leaves the others alone.
    from _pydevd_bundle import pydevd_process_net_command_json as commands
    from _pydevd_bundle import pydevd_utils
    from _pydevd_bundle.pydevd_constants import get_global_debugger
    plain = commands.convert_dap_log_message_to_expression
    def value(asked, names, own):
        try:
            return eval(asked, names, own)
        except Exception as error:
            return "<%s cannot be evaluated: %s: %s>" % (asked, type(error).__name__, error)
    get_global_debugger().fourfold_value = value
    ours = "__import__('pydevd').get_global_debugger().fourfold_value(%r, globals(), locals())"
    def convert(message):
        try:
            words, asked = pydevd_utils._extract_expression_list(message)
        except Exception:
            return plain(message)
        if not asked:
            return plain(message)
        return "%r %% (%s,)" % (words, ", ".join(ours % str(one).strip() for one in asked))
    commands.convert_dap_log_message_to_expression = convert


fourfold_forks()
fourfold_logs()
fourfold_exceptions()
