fn main() {
    let mut ships = vec![1901, 1912, 1934];
    let oldest = ships[0];
    ships.push(1956);
    println!("{oldest} of {ships:?}");
}
