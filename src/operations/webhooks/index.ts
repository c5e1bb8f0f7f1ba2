export { deliveryAddress, isLoopback } from './delivery-address.ts';
export { inspect, runIdOf } from './inspection.ts';
export { type Delivery, type Heard, listen } from './listen.ts';
export { openPort } from './open-port.ts';
export { replay } from './replay.ts';
export { webhookSecret } from './secret.ts';
export { verify } from './verify.ts';
