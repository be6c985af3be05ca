//! Where the parts of a screen lie: plain arithmetic on u16. The order of parts is the same at every size, so
//! nothing moves when a window grows; the graphs take what is left.

use ratatui::layout::Rect;

/// Below this a screen is one line.
pub const LEAST: (u16, u16) = (80, 22);

/// The Live screen from top to bottom, left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivePlan {
    pub header: Rect,
    pub figures: Rect,
    pub verdict: Rect,
    pub left_graph: Rect,
    pub cost_graph: Rect,
    pub knobs: Rect,
    pub ledger: Rect,
    pub senders: Rect,
    pub health: Rect,
    pub footer: Rect,
}

pub fn is_too_small(area: Rect) -> bool {
    area.width < LEAST.0 || area.height < LEAST.1
}

/// `area` is at least [`LEAST`].
pub fn live(area: Rect) -> LivePlan {
    let mut rows = Rows { area, next: area.y };
    // More senders can be seen where there is room for them.
    let panels = match area.height {
        36.. => 10,
        24.. => 7,
        _ => 6,
    };
    let graphs = area.height.saturating_sub(5 + panels);
    // The lower graph carries the time axis, one row more.
    let left = graphs / 2;
    let (header, figures, verdict) = (rows.take(1), rows.take(1), rows.take(1));
    let (left_graph, cost_graph) = (rows.take(left), rows.take(graphs - left));
    let below = rows.take(panels);
    // At 80 columns 29, 25 and 26: a size with its FCS, a ten-digit count, a sender's row.
    let knobs = Rect { width: area.width * 29 / 80, ..below };
    let ledger = Rect { x: below.x + knobs.width, width: area.width * 25 / 80, ..below };
    let senders = Rect { x: ledger.x + ledger.width, width: area.width - knobs.width - ledger.width, ..below };
    let (health, footer) = (rows.take(1), rows.take(1));
    LivePlan { header, figures, verdict, left_graph, cost_graph, knobs, ledger, senders, health, footer }
}

/// The Edit screen from top to bottom; flows stand left of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditPlan {
    pub header: Rect,
    pub flows: Rect,
    pub fields: Rect,
    pub detail: Rect,
    pub bytes: Rect,
    pub diversity: Rect,
    pub health: Rect,
    pub footer: Rect,
}

/// The Live screen as the back row of a hall sees it: two blocks of digits, and what they were got with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BigPlan {
    pub header: Rect,
    pub left: Rect,
    pub cost: Rect,
    pub verdict: Rect,
    pub knobs: Rect,
    pub health: Rect,
    pub footer: Rect,
}

/// `area` is at least [`LEAST`].
pub fn edit(area: Rect) -> EditPlan {
    let mut rows = Rows { area, next: area.y };
    let detail = if area.height >= 28 { 3 } else { 2 };
    let shared = area.height.saturating_sub(4 + detail);
    // Four lines hold the headers and the pktgen header of a usual frame; with their words and title they take 7.
    let bytes = (shared * 2 / 5).max(7).min(shared);
    let header = rows.take(1);
    let lists = rows.take(shared - bytes);
    let flows = Rect { width: (area.width / 4).clamp(20, 44), ..lists };
    let fields = Rect { x: flows.right(), width: area.width.saturating_sub(flows.width), ..lists };
    let (detail, bytes, diversity) = (rows.take(detail), rows.take(bytes), rows.take(1));
    EditPlan { header, flows, fields, detail, bytes, diversity, health: rows.take(1), footer: rows.take(1) }
}

/// `area` is at least [`LEAST`].
pub fn big(area: Rect) -> BigPlan {
    let mut rows = Rows { area, next: area.y };
    let blocks = area.height.saturating_sub(5);
    BigPlan {
        header: rows.take(1),
        left: rows.take(blocks / 2),
        cost: rows.take(blocks - blocks / 2),
        verdict: rows.take(1),
        knobs: rows.take(1),
        health: rows.take(1),
        footer: rows.take(1),
    }
}

/// Any other screen: header, body, notice, footer.
pub fn page(area: Rect) -> (Rect, Rect, Rect, Rect) {
    let mut rows = Rows { area, next: area.y };
    let header = rows.take(1);
    let body = rows.take(area.height.saturating_sub(3));
    (header, body, rows.take(1), rows.take(1))
}

/// A dialog in the middle, no larger than the screen.
pub fn dialog(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

/// A dialog right below a row, or right above it where there is no room below.
pub fn beside(area: Rect, row: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let x = row.x.min(area.right() - width);
    let below = row.y.saturating_add(1);
    let y = if below + height <= area.bottom() { below } else { row.y.saturating_sub(height).max(area.y) };
    Rect { x, y, width, height }
}

struct Rows {
    area: Rect,
    next: u16,
}

impl Rows {
    fn take(&mut self, height: u16) -> Rect {
        let height = height.min(self.area.bottom().saturating_sub(self.next));
        let row = Rect { y: self.next, height, ..self.area };
        self.next += height;
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_fill_the_screen_in_the_same_order_at_every_size() {
        for (width, height) in [(80, 22), (80, 24), (100, 29), (120, 36), (120, 40), (200, 60), (300, 200)] {
            let plan = live(Rect::new(0, 0, width, height));
            let rows = [
                plan.header,
                plan.figures,
                plan.verdict,
                plan.left_graph,
                plan.cost_graph,
                plan.knobs,
                plan.health,
                plan.footer,
            ];
            assert!(rows.windows(2).all(|pair| pair[0].bottom() == pair[1].y), "{width}x{height}");
            assert_eq!((plan.footer.bottom(), plan.senders.right()), (height, width));
            assert_eq!((plan.knobs.right(), plan.ledger.right()), (plan.ledger.x, plan.senders.x));
            assert!(plan.left_graph.height >= 5 && plan.cost_graph.height >= plan.left_graph.height);
        }
    }

    #[test]
    fn a_dialog_never_leaves_the_screen() {
        for (width, height) in [(0, 0), (1, 1), (10, 3), (80, 22)] {
            let area = Rect::new(0, 0, width, height);
            assert_eq!(dialog(area, 60, 8).intersection(area), dialog(area, 60, 8));
        }
    }
}
