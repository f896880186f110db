const std = @import("std");
const Allocator = std.mem.Allocator;

pub const Error = error{ Empty, TooLong };

pub fn Stack(comptime T: type) type {
    return struct {
        const Self = @This();

        items: []T = &.{},
        gpa: Allocator,

        pub fn init(gpa: Allocator) Self {
            return .{ .gpa = gpa };
        }

        pub fn push(self: *Self, value: T) !void {
            const grown = try self.gpa.realloc(self.items, self.items.len + 1);
            errdefer self.gpa.free(grown);
            grown[grown.len - 1] = value;
            self.items = grown;
        }
    };
}

const Kind = enum(u8) { pen = 1, desk, _ };

const Shape = union(enum) {
    circle: f32,
    square: struct { side: f32 },
};

fn area(shape: Shape) f32 {
    return switch (shape) {
        .circle => |radius| 3.14 * radius * radius,
        .square => |square| square.side * square.side,
    };
}

test "push" {
    var stack = Stack(u32).init(std.testing.allocator);
    defer stack.gpa.free(stack.items);
    for (0..3) |i| {
        try stack.push(@intCast(i));
    }
    const last: ?u32 = if (stack.items.len > 0) stack.items[stack.items.len - 1] else null;
    while (last) |value| {
        std.debug.print("{d}\n", .{value});
        break;
    } else {}
    try std.testing.expectEqual(@as(u32, 2), last orelse return Error.Empty);
}
