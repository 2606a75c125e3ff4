#!lua
-- Holdfast has joined this server to a quorum since it was started. Never called: node_joiner.hpp
-- says what it is for. The text must not change.
return 'holdfast'
