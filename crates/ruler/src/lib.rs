//! photofinish-ruler
