import { onTestFinished } from 'vitest';
import { type HubModel, ModelHub } from '../chaos/model-hub.js';

/** A model hub that ends with the test. */
export async function startHub(models: Record<string, HubModel>): Promise<ModelHub> {
  const hub = await ModelHub.start(models);
  onTestFinished(() => hub.close());
  return hub;
}
