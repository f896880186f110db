//! PHP.

use super::{assert_calls, assert_hierarchy, assert_links};
use fourfold_code_graph::link::EdgeKind;

const SERVICE: (&str, &str) = (
    "src/Service/Mailer.php",
    r#"<?php
namespace App\Service;

use App\Model\{User, Message as Mail};
use App\Contract\Sender;
use Vendor\Log\Logger;
use function App\Util\clean;
use App\Util;

abstract class Base implements Sender
{
    protected ?Mail $last = null;
    /** @var User[] */
    protected array $users = [];

    public function __construct(protected Logger $logger, private ?User $owner = null) {}

    public function send(Mail $mail): static
    {
        $this->last = $mail;
        $this->logger->info('sent');
        return $this;
    }

    public static function create(): static { return new static(new Logger()); }

    abstract protected function name(): string;
}

final class Mailer extends Base
{
    use Counts;

    public function __construct(Logger $logger) { parent::__construct($logger, new User('x')); }

    public function send(Mail $mail): static
    {
        parent::send($mail)->name();
        self::create()->send($mail);
        $this->count()->send($mail);
        $this->last->body()->trim();
        $this->users[0]->greet();
        foreach ($this->users as $user) { $user->greet(); }
        array_map(fn (User $u) => $u->greet(), $this->users);
        $send = [$this, 'name'];
        $copy = clone $mail;
        $copy->body();
        clean('x');
        Util\shout('x');
        \App\Util\clean('y');
        strlen('z');
        helper();
        $this->$send();
        $unknown->greet();
        if ($copy instanceof User) { $copy->greet(); }
        try { $this->name(); } catch (Failure $e) { $e->report(); }
        User::find(1)?->greet();
        Kind::Plain->label();
        return $this;
    }

    protected function name(): string { return static::class; }
}

class Failure extends \Exception
{
    public function report(): void { $this->getMessage(); }
}

trait Counts
{
    private int $n = 0;

    public function count(): self { $this->n++; $this->bump(); return $this; }

    private function bump(): void {}
}

enum Kind: string
{
    case Plain = 'p';

    public function label(): string { return self::Plain->value; }
}

function helper(): void { (new Mailer(new Logger()))->count(); }
"#,
);

const MODEL: (&str, &str) = (
    "src/Model/User.php",
    r#"<?php
namespace App\Model;

class User
{
    public function __construct(public string $name) {}

    public static function find(int $id): ?self { return new self('a'); }

    public function greet(): string { return $this->name; }
}
"#,
);

const MESSAGE: (&str, &str) = (
    "src/Model/Message.php",
    r#"<?php
namespace App\Model;

class Message
{
    public function body(): Text { return new Text(); }
}

class Text
{
    public function trim(): string { return trim('x'); }
}
"#,
);

const CONTRACT: (&str, &str) = (
    "src/Contract/Sender.php",
    r#"<?php
namespace App\Contract;

use App\Model\Message;

interface Sender
{
    public function send(Message $mail): static;
}
"#,
);

const UTIL: (&str, &str) = (
    "src/util.php",
    r#"<?php
namespace App\Util;

function clean(string $s): string { return shout($s); }

function shout(string $s): string { return strtoupper($s); }
"#,
);

#[test]
fn namespaces_traits_statics_properties_and_doc_types() {
    assert_calls(
        &[SERVICE, MODEL, MESSAGE, CONTRACT, UTIL],
        r"
        src/Service/Mailer.php Base.send -> ! Vendor\Log\Logger.info [calls]
        src/Service/Mailer.php Base.create -> src/Service/Mailer.php Base [instantiates typed]
        src/Service/Mailer.php Base.create -> src/Service/Mailer.php Base.__construct [calls typed]
        src/Service/Mailer.php Base.create -> ! Vendor\Log\Logger [instantiates]
        src/Service/Mailer.php Mailer.__construct -> src/Service/Mailer.php Base.__construct [calls typed]
        src/Service/Mailer.php Mailer.__construct -> src/Model/User.php User [instantiates exact]
        src/Service/Mailer.php Mailer.__construct -> src/Model/User.php User.__construct [calls exact]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Base.send [calls typed]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Mailer.name [calls inferred]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Base.create [calls typed]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Mailer.send [calls inferred]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Counts.count [calls typed]
        src/Service/Mailer.php Mailer.send -> src/Model/Message.php Message.body [calls typed]
        src/Service/Mailer.php Mailer.send -> src/Model/Message.php Text.trim [calls inferred]
        src/Service/Mailer.php Mailer.send -> src/Model/User.php User.greet [calls inferred]
        src/Service/Mailer.php Mailer.send -> ! array_map [calls]
        src/Service/Mailer.php Mailer.send -> src/Model/User.php User.greet [calls typed]
        src/Service/Mailer.php Mailer.send -> src/util.php clean [calls exact]
        src/Service/Mailer.php Mailer.send -> src/util.php shout [calls exact]
        src/Service/Mailer.php Mailer.send -> ! strlen [calls]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php helper [calls exact]
        src/Service/Mailer.php Mailer.send -> ? $send [calls]
        src/Service/Mailer.php Mailer.send -> ? greet [calls]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Mailer.name [calls typed]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Failure.report [calls typed]
        src/Service/Mailer.php Mailer.send -> src/Model/User.php User.find [calls exact]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Kind.label [calls typed]
        src/Service/Mailer.php Failure.report -> ! Exception.getMessage [calls]
        src/Service/Mailer.php Counts.count -> src/Service/Mailer.php Counts.bump [calls typed]
        src/Service/Mailer.php helper -> src/Service/Mailer.php Mailer [instantiates exact]
        src/Service/Mailer.php helper -> src/Service/Mailer.php Mailer.__construct [calls exact]
        src/Service/Mailer.php helper -> ! Vendor\Log\Logger [instantiates]
        src/Service/Mailer.php helper -> src/Service/Mailer.php Counts.count [calls typed]
        src/Model/User.php User.find -> src/Model/User.php User [instantiates typed]
        src/Model/User.php User.find -> src/Model/User.php User.__construct [calls typed]
        src/Model/Message.php Message.body -> src/Model/Message.php Text [instantiates exact]
        src/Model/Message.php Text.trim -> ! trim [calls]
        src/util.php clean -> src/util.php shout [calls exact]
        src/util.php shout -> ! strtoupper [calls]
        ",
    );
}

#[test]
fn classes_traits_and_interfaces() {
    assert_hierarchy(
        &[SERVICE, MODEL, MESSAGE, CONTRACT, UTIL],
        r"
        src/Service/Mailer.php Base -> src/Contract/Sender.php Sender [implements exact]
        src/Service/Mailer.php Base.send -> src/Contract/Sender.php Sender.send [overrides typed]
        src/Service/Mailer.php Mailer -> src/Service/Mailer.php Base [extends exact]
        src/Service/Mailer.php Mailer -> src/Service/Mailer.php Counts [mixes_in exact]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Base.send [overrides typed]
        src/Service/Mailer.php Mailer.name -> src/Service/Mailer.php Base.name [overrides typed]
        src/Service/Mailer.php Failure -> ! Exception [extends]
        ",
    );
}

#[test]
fn callables_and_properties_as_values() {
    assert_links(
        &[SERVICE, MODEL, MESSAGE, CONTRACT, UTIL],
        &[EdgeKind::References, EdgeKind::Writes],
        r"
        src/Service/Mailer.php Base.send -> src/Service/Mailer.php Base.logger [references typed]
        src/Service/Mailer.php Base.send -> src/Service/Mailer.php Base.last [writes typed]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Mailer.name [references typed]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Base.last [references typed]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Base.users [references typed]
        src/Service/Mailer.php Mailer.send -> src/Service/Mailer.php Kind.Plain [references typed]
        src/Service/Mailer.php Kind.label -> src/Service/Mailer.php Kind.Plain [references typed]
        src/Service/Mailer.php Counts.count -> src/Service/Mailer.php Counts.n [references typed]
        src/Model/User.php User.greet -> src/Model/User.php User.name [references typed]
        ",
    );
}
