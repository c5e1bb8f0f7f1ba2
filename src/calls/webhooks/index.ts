export { Deliveries, type DeliveryOptions, maxDeliveryDelayMs, type RunDelivery } from './deliveries.ts';
export { parseDeliveryUrl } from './delivery-url.ts';
export { type ListenEvent, listenForDeliveries, type ShownDelivery } from './listen.ts';
export { replayDelivery } from './replay.ts';
export { readWebhookSecret } from './secret.ts';
