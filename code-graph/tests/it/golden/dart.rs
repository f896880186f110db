//! dart
