use std::collections::HashMap;
use std::fmt::{self, Display};

/// Something with a price.
pub trait Priced {
    const LIMIT: u32 = 10;
    type Unit: Display;
    fn price(&self) -> Self::Unit;
}

#[derive(Debug, Clone, PartialEq)]
pub enum Item<'a, T = f64> {
    Named { name: &'a str, price: T },
    Pair(Box<Item<'a, T>>, u8),
    Nothing,
}

impl<'a, T> Item<'a, T>
where
    T: Copy + PartialOrd<f64>,
{
    pub const fn is_nothing(&self) -> bool {
        matches!(self, Item::Nothing)
    }

    async fn load(&mut self, path: impl AsRef<str>) -> Result<(), Box<dyn std::error::Error>> {
        let text = read(path.as_ref()).await?;
        let Some((key, _)) = text.split_once('=') else {
            return Err("no key".into());
        };
        if let Item::Named { name, price } = self
            && *price > 1.0
        {
            println!("{name} {key:?} {}", r#"raw "text""#);
        }
        Ok(())
    }
}

macro_rules! sum {
    ($($x:expr),* $(,)?) => { 0 $(+ $x)* };
}

fn count<const N: usize>(words: [&str; N]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    'words: for word in words.iter().copied().filter(|w| !w.is_empty()) {
        match word.len() {
            0 | 1 => continue 'words,
            2..=4 if word.starts_with('a') => break,
            n @ 5.. => *counts.entry(word.to_owned()).or_insert(0) += n,
            _ => unsafe { std::hint::unreachable_unchecked() },
        }
    }
    counts
}
