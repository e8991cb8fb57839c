//! Load levels and places.

photofinish_model::messages! { "place";
    /// A load level.
    level(load: Load) "{load}", "{load}";
    /// A workload at a load.
    at(place: Place) "{place}", "{place}";
}

use photofinish_model::{Load, Place};
