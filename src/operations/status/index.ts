export { isWell, type Report, type ServiceStatus, serviceStatus } from './service-status.ts';
