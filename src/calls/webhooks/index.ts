export { Deliveries, type DeliveryOptions, maxDeliveryDelayMs, type RunDelivery } from './deliveries.ts';
export { parseDeliveryUrl } from './forward.ts';
export { type ListenEvent, listenForDeliveries, type ShownDelivery } from './listen.ts';
export { readWebhookSecret } from './signature.ts';
