//! The README's pictures: real screens of a simulated run, the same in every run. One command makes them anew:
//! `README_WRITE=1 cargo test --test screens readme_pictures`.

use std::{fs, path::Path};

use txdeck::ui::{self, Glyphs, Look, Theme};

use crate::stage::Stage;

struct Shot {
    name: &'static str,
    theme: &'static str,
    size: (u16, u16),
    /// Keys and waits in turn: `250` are ticks of a tenth of a second.
    play: &'static str,
}

const SHOTS: [Shot; 5] = [
    Shot { name: "live", theme: "terminal", size: (100, 29), play: "1 enter space t250 3 2 enter t280" },
    Shot { name: "live-light", theme: "light", size: (100, 29), play: "1 enter space t250 3 2 enter t280 f t120 l t5" },
    Shot { name: "live-small", theme: "none", size: (80, 22), play: "8 enter space t200 6 4 enter t150 b j l t100" },
    Shot {
        name: "edit",
        theme: "terminal",
        size: (100, 29),
        play: "e / u d p . s r c enter enter ^U 1 0 0 0 . . 1 0 9 9 enter # 4 2 enter",
    },
    Shot { name: "big", theme: "high-contrast", size: (100, 29), play: "1 enter space t250 3 2 enter t280 z" },
];

fn play(script: &str) -> Stage {
    let mut stage = Stage::lab();
    for word in script.split_whitespace() {
        match word.strip_prefix('t').and_then(|n| n.parse().ok()) {
            Some(ticks) => stage.ticks(ticks),
            None => stage.keys(word),
        };
    }
    stage
}

#[test]
fn readme_pictures() {
    let writes = std::env::var_os("README_WRITE").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for shot in SHOTS {
        // The poorest terminal has neither colours nor other than ASCII.
        let glyphs = if shot.theme == "none" { Glyphs::Ascii } else { Glyphs::default() };
        let look = Look { theme: Theme::shipped(shot.theme).unwrap(), glyphs };
        let stage = play(shot.play);
        let (width, height) = shot.size;
        let picture = ui::svg(&stage.picture(width, height, &look), &look, &format!("txdeck: {}", shot.name));
        assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
        let path = folder.join(format!("{}.svg", shot.name));
        if writes {
            fs::write(&path, &picture).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let head = |text: &str| text.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            head(&kept),
            head(&picture),
            "assets/{}.svg is old: {}",
            shot.name,
            "README_WRITE=1 cargo test --test screens readme_pictures"
        );
    }
}
