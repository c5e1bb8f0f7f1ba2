export { readInvoices } from './invoices.ts';
export { paymentMethods } from './payment-methods.ts';
