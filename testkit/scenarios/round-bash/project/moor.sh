#!/bin/bash
ship="$1"
echo "$ship"
