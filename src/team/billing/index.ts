export { readInvoices } from './invoices.ts';
export { parsePaymentMethods } from './payment-methods.ts';
