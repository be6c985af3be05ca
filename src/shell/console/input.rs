//! The terminal's events as the app's.

use crossterm::event::{Event as TermEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};

use crate::app::{Chord, Code, Event};

/// `None` for what the app has no word for. The mouse, where it is on, is the wheel alone: it turns as the arrows do.
pub fn event(event: TermEvent) -> Option<Event> {
    match event {
        TermEvent::Key(key) if key.kind != KeyEventKind::Release => chord(key).map(Event::Key),
        TermEvent::Paste(text) => Some(Event::Paste(text)),
        TermEvent::Resize(..) => Some(Event::Resize),
        TermEvent::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollUp => Some(Event::Key(Chord::key(Code::Up))),
            MouseEventKind::ScrollDown => Some(Event::Key(Chord::key(Code::Down))),
            _ => None,
        },
        _ => None,
    }
}

fn chord(key: KeyEvent) -> Option<Chord> {
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let code = match key.code {
        KeyCode::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(n) => Code::F(n),
        _ => return None,
    };
    Some(Chord { code, ctrl, alt: key.modifiers.contains(KeyModifiers::ALT) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctrl_c_is_the_stop_key() {
        let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(chord(key), Some(Chord::STOP));
        let capital = KeyEvent::new(KeyCode::Char('W'), KeyModifiers::SHIFT);
        assert_eq!(chord(capital), Some(Chord::char('W')));
    }
}
