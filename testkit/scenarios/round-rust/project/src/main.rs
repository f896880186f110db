mod crane;

fn main() {
    let crane = crane::Crane::new(40);
    println!("{}", crane.lift(3));
}
