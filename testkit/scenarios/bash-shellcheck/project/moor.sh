#!/bin/bash
ship="$1"
echo "moored: $ship"
