// Loaded into Windows' Node under wine, whose sockets refuse this option while they connect.
require('node:net').Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};
