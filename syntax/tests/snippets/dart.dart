import 'dart:async' show StreamController;
import 'package:flutter/material.dart' as m;

/// One shape or the other.
sealed class Shape {
  const Shape();
}

final class Circle extends Shape {
  const Circle(this.radius);
  final double radius;
}

class Square extends Shape {
  const Square({required this.side, this.label = 'square'});
  final double side;
  final String? label;
}

extension type Id(int value) implements int {}

mixin Disposable on m.State<m.StatefulWidget> {
  final _events = StreamController<(int, String)>.broadcast();

  @override
  void dispose() {
    _events.close();
    super.dispose();
  }
}

double area(Shape shape) => switch (shape) {
      Circle(:final radius) => 3.14 * radius * radius,
      Square(side: var s) when s > 0 => s * s,
      _ => 0,
    };

Future<void> main(List<String> arguments) async {
  final [first, ...rest] = [1, 2, 3];
  var (count, name: String title) = (rest.length, name: 'n');
  await for (final event in Stream.fromIterable([first, count])) {
    print('$event ${title.toUpperCase()}');
  }
  final shapes = <Shape>[const Circle(1), if (arguments.isNotEmpty) Square(side: 2)];
  shapes
    ..sort((a, b) => area(a).compareTo(area(b)))
    ..forEach(print);
}
