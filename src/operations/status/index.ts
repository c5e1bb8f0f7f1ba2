export { isOperational, readServiceStatus, type ServiceStatus, type StatusReport } from './service-status.ts';
