//! What a packet costs by itself, and its share of a doorbell and of a build: ns = a + b/burst + c/clone.

use serde::Serialize;

/// One arm's figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub burst: u32,
    /// 0 and 1 both build every packet.
    pub clone: u32,
    pub cost_ns: f64,
}

/// Least squares. A term whose axis did not vary is `None` and folded into `packet_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fit {
    /// a
    pub packet_ns: f64,
    /// b: one doorbell
    pub burst_ns: Option<f64>,
    /// c: one build
    pub clone_ns: Option<f64>,
    /// 0 to 1: the share of the costs' variance that the model explains.
    pub r_squared: f64,
}

impl Fit {
    /// The smallest burst whose doorbells cost at most 2 % of the rest, at this clone. `None` if burst did not vary
    /// or the rest is not above zero.
    pub fn knee(&self, clone: u32) -> Option<u32> {
        let rest_ns = self.packet_ns + self.clone_ns.unwrap_or(0.0) * share(clone);
        let burst_ns = self.burst_ns.filter(|_| rest_ns > 0.0)?;
        Some((burst_ns / (0.02 * rest_ns)).ceil().max(1.0) as u32)
    }
}

/// Fits the points. `None` without two different settings, or if the axes varied only together.
pub fn fit(points: &[Point]) -> Option<Fit> {
    let centred = |of: fn(&Point) -> f64| {
        let mean = points.iter().map(of).sum::<f64>() / points.len() as f64;
        (mean, points.iter().map(|point| of(point) - mean).collect::<Vec<f64>>())
    };
    let (x_mean, x) = centred(|point| share(point.burst));
    let (z_mean, z) = centred(|point| share(point.clone));
    let (y_mean, y) = centred(|point| point.cost_ns);
    let (b, c) = slopes(&x, &z, &y)?;
    let (burst_ns, clone_ns) = (b.unwrap_or(0.0), c.unwrap_or(0.0));
    let misses = x.iter().zip(&z).zip(&y).map(|((x, z), y)| (y - burst_ns * x - clone_ns * z).powi(2));
    let (missed, total): (f64, f64) = (misses.sum(), dot(&y, &y));
    Some(Fit {
        packet_ns: y_mean - burst_ns * x_mean - clone_ns * z_mean,
        burst_ns: b,
        clone_ns: c,
        r_squared: if total > 0.0 { 1.0 - missed / total } else { 1.0 },
    })
}

fn share(count: u32) -> f64 {
    1.0 / f64::from(count.max(1))
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(l, r)| l * r).sum()
}

/// Slopes of `y` along two centred axes; an axis that did not vary has none.
fn slopes(x: &[f64], z: &[f64], y: &[f64]) -> Option<(Option<f64>, Option<f64>)> {
    const NOTHING: f64 = 1e-12;
    let (xx, zz, xz) = (dot(x, x), dot(z, z), dot(x, z));
    let (xy, zy) = (dot(x, y), dot(z, y));
    match (xx > NOTHING, zz > NOTHING) {
        (false, false) => None,
        (true, false) => Some((Some(xy / xx), None)),
        (false, true) => Some((None, Some(zy / zz))),
        (true, true) => {
            let determinant = xx * zz - xz * xz;
            let apart = determinant > 1e-9 * xx * zz;
            apart.then(|| (Some((xy * zz - zy * xz) / determinant), Some((zy * xx - xy * xz) / determinant)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(burst: u32, clone: u32) -> Point {
        let cost_ns = 40.0 + 300.0 / f64::from(burst) + 25.0 / f64::from(clone.max(1));
        Point { burst, clone, cost_ns }
    }

    fn near(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() < 1e-6 * wanted
    }

    #[test]
    fn the_terms_come_back() {
        let grid: Vec<Point> = [1, 4, 32].iter().flat_map(|b| [0, 10, 1000].map(|c| point(*b, c))).collect();
        let fit = fit(&grid).unwrap();
        assert!(near(fit.packet_ns, 40.0) && near(fit.burst_ns.unwrap(), 300.0) && near(fit.clone_ns.unwrap(), 25.0));
        assert!(near(fit.r_squared, 1.0));
        assert_eq!(fit.knee(1), Some(231)); // 300 / (0.02 · 65)
    }

    #[test]
    fn an_axis_that_did_not_vary_is_folded_in() {
        let fit = fit(&[1, 2, 4, 8].map(|burst| point(burst, 1))).unwrap();
        assert!(near(fit.packet_ns, 65.0) && near(fit.burst_ns.unwrap(), 300.0));
        assert_eq!(fit.clone_ns, None);
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_fitted() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[point(8, 1), point(8, 1)]), None);
        assert_eq!(fit(&[point(1, 1), point(4, 4), point(8, 8)]), None);
    }
}
