pub struct Crane {
    tons: u32,
}

impl Crane {
    pub fn new(tons: u32) -> Crane {
        Crane { tons }
    }

    pub fn lift(&self, times: u32) -> u32 {
        self.tons * times
    }
}
